import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../test/support/sqlite-store.ts";
import * as s from "../../journal/contract/store.contract.ts";
import { ERRORS } from "../../protocol/errors.ts";
import { createApp } from "../app.ts";
import { tails } from "../tail.ts";
import { NO_READS, type WorkspaceReads } from "../workspace-reads.ts";

const TOKEN = "t".repeat(43);
const headers = { authorization: `Bearer ${TOKEN}`, host: "localhost:80" };

async function serving(reads?: WorkspaceReads) {
  const store = sqliteStore();
  const journal = await store.connect();
  await journal.createSession({ session_id: "s1" }, s.DEFAULTS);
  const logError = (error: unknown) => assert.fail(String(error));
  const model = { provider: "demo", id: "demo", label: "Demo", demo: true };
  const app = await createApp({
    journal,
    auth: { token: () => TOKEN, required: true, hosts: () => new Set(["localhost:80"]) },
    streams: {
      tails: tails(journal, logError),
      heartbeatMs: 60_000,
      epoch: journal.epoch,
      open: new Set(),
    },
    defaults: s.DEFAULTS,
    profileModel: async () => null,
    info: {
      version: "0",
      model,
      sandbox: async () => "none",
      found: [],
      models: async () => [],
      profiles: async () => [],
    } as never,
    webRoot: store.home,
    logError,
    ...(reads && { reads }),
  });
  return {
    app,
    [Symbol.asyncDispose]: async () => {
      await app.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

test("[H7] whatever a reader answers is one of our codes, and what is about the reader can be tried again", async () => {
  let code = "";
  await using place = await serving({
    ...NO_READS,
    read: async () => ({ ok: false, code, message: "No." }),
  });
  const expected = {
    outside_workspace: "forbidden",
    protected: "forbidden",
    io: "forbidden",
    not_found: "not_found",
    not_regular: "invalid_request",
    too_large: "too_large",
    busy: "rate_limited",
    host_died: "unavailable",
    "from the future": "unavailable",
  } as const;
  for (const [given, answered] of Object.entries(expected)) {
    code = given;
    const reply = await place.app.inject({ url: "/api/sessions/s1/file?path=a", headers });
    const { error } = reply.json() as { error: { code: string; details: { reason: string } } };
    assert.deepEqual([error.code, error.details.reason], [answered, given]);
    assert.equal(reply.statusCode, ERRORS[answered].status);
  }
});

test("[B4] a reader is told when nobody waits any more", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  await using place = await serving({
    ...NO_READS,
    find: async ({ signal }) => {
      asked.resolve(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ok: false, code: "aborted", message: "Nobody waits." };
    },
  });
  const gone = new AbortController();
  const reply = place.app
    .inject({ url: "/api/sessions/s1/find?q=x", headers, signal: gone.signal })
    .then(
      () => "answered",
      () => "gone",
    );
  const signal = await asked.promise;
  assert.equal(signal.aborted, false);
  gone.abort();
  assert.equal(await reply, "gone");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(signal.aborted, true);
});

test("[H7] a server without a reader says so", async () => {
  await using place = await serving();
  const reply = await place.app.inject({ url: "/api/sessions/s1/files", headers });
  assert.equal(reply.statusCode, 503);
});
