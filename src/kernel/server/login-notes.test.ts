// Failed logins are noted, and cannot fill the journal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../test/support/until.ts";
import type { SystemEvent } from "../events/system-events.ts";
import { loginNotes } from "./login-notes.ts";

const failed = (error: unknown) => assert.fail(String(error));

test("[U3a] of an address's failures the first is noted at once and the rest together", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const notes = loginNotes(journal.systemLog, failed);
  for (let guess = 0; guess < 50; guess += 1) notes.failed("10.0.0.1", "code");
  notes.failed("10.0.0.2", "token");
  notes.failed("10.0.0.1", "too_many");
  notes.stop();
  const noted = await until(async () => {
    const bodies = await journal.systemLog.events({ types: ["login.failed"], limit: 100 });
    const payloads = bodies.map((body) => (JSON.parse(body) as SystemEvent).payload);
    return bodies.length === 3 ? payloads : undefined;
  }, "three notes");
  assert.deepEqual(noted.toReversed(), [
    { by: "nobody", address: "10.0.0.1", reason: "code", times: 1 },
    { by: "nobody", address: "10.0.0.2", reason: "token", times: 1 },
    { by: "nobody", address: "10.0.0.1", reason: "too_many", times: 50 },
  ]);
});

test("[U3a] ten thousand addresses are not ten thousand events", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const pending: Promise<string>[] = [];
  const notes = loginNotes(
    {
      note: (drafts) => {
        const noted = journal.systemLog.note(drafts);
        pending.push(noted);
        return noted;
      },
    },
    failed,
  );
  for (let at = 0; at < 10_000; at += 1) notes.failed(`10.0.${at >> 8}.${at & 255}`, "token");
  notes.stop();
  await Promise.all(pending);
  assert.equal(pending.length, 1_000);
});
