// Whatever is sent to the daemon window: it is dropped or answered, the connection stays, and nothing
// is changed that was not asked for in due form.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { connectDaemon, serveDaemon } from "../../../test/support/daemon/place.ts";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import { readDaemonCommand } from "./wire/inbound.ts";

const FRAMES = tries(25_000);
const METHODS = [
  "sessions.list",
  "snapshot.request",
  "scheduler.cron.status",
  "permission.response",
  "clarify.response",
  "stream.text",
  "__proto__",
  "toString",
];
const ids = fc.constantFrom("s1", "s2", "", "ap_c1", "q1", "__proto__", "x".repeat(600), "\u0000");
const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), ids, fc.constant(undefined));
const params = fc.record(
  {
    sessionId: fc.oneof(ids, anything),
    requestId: fc.oneof(ids, anything),
    approved: anything, // not a boolean: those would be answers
    remember: anything,
    response: fc.constantFrom(undefined, 7, "", null, [], {}),
    lastEventId: anything,
  },
  { requiredKeys: [], noNullPrototype: true },
);
const command = fc.record(
  { method: fc.oneof(fc.constantFrom(...METHODS), anything), params: fc.oneof(params, anything) },
  { requiredKeys: [], noNullPrototype: true },
);
const frames = fc.oneof(
  { weight: 5, arbitrary: command.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: command.map((value) => JSON.stringify(value).slice(0, -1)) },
  { weight: 1, arbitrary: fc.nat(3_000).map((depth) => "[".repeat(depth)) },
);
/** An answer in due form: those are another test's. */
const answers = (text: string) => {
  const read = readDaemonCommand(text);
  return read?.method === "permission.response" || read?.method === "clarify.response";
};

test(`[W6, W9] ${FRAMES} frames of anything: no error, no answer to what is none, no change`, async () => {
  await using store = sqliteStore();
  const { journal, claim, runId } = await s.withRun(store);
  await s.write(
    journal,
    claim,
    d.started(),
    d.intent("c1"),
    d.approvalAsked("c1"),
    d.clarifyAsked("q1", null),
  );
  const before = await s.sessionEvents(journal);
  await using server = await serveDaemon(journal);
  using client = await connectDaemon(server.url);
  const sent = fc.sample(frames, {
    numRuns: FRAMES,
    seed: Number(process.env["SEED"] ?? Date.now() % 1e6),
  });
  let due = 0; // answers to wait for
  for (const [at, text] of sent.filter((each) => !answers(each)).entries()) {
    client.send(text);
    if (readDaemonCommand(text)) due += 1;
    if (at % 1_000 === 0) await until(() => client.texts.length >= due, "the answers");
  }
  await until(() => client.texts.length >= due, "every answer");
  assert.equal((await client.ask({ method: "sessions.list" })).method, "sessions.list.result");
  assert.equal(client.replies().length, due + 1);
  assert.ok(due > FRAMES / 50, `${due} were commands`);
  assert.deepEqual(server.errors, []);
  assert.deepEqual(await s.sessionEvents(journal), before);
  assert.equal((await journal.reads.pending({ runId })).length, 2);
  assert.equal(server.following.size, 0);
});

test("[W6] a command is read as it is meant, and only then", () => {
  fc.assert(
    fc.property(frames, (text) => {
      const read = readDaemonCommand(text);
      if (read) assert.equal((JSON.parse(text) as { method: unknown }).method, read.method);
    }),
    { numRuns: tries(5_000) },
  );
});
