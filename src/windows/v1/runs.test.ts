// `/v1/runs` with a runner that the test plays: the moments that real runs pass too quickly to be caught.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import fastify from "fastify";
import * as d from "../../../test/support/drafts.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import { abortOnDisconnect } from "../../kernel/server/disconnect.ts";
import { openV1, type Reply } from "./test-support.ts";

const LIMIT = { timeout: 30_000 };
const JSON_PLEASE = { accept: "application/json" };

const sessionCount = async (journal: Journal) =>
  (await journal.reads.sessions({ limit: 500, offset: 0 })).length;
const replayed = ({ body, headers }: Reply) => [body["replayed"], headers["idempotency-replayed"]];

for (const where of ["its session", "a branch"]) {
  test(
    `[C2] what follows a response in ${where}, made again, is the same run there`,
    LIMIT,
    async () => {
      await using v1 = await openV1();
      const { journal } = v1;
      const before = await s.exchange(journal, "one");
      if (where === "a branch") await s.exchange(journal, "two");
      const body = { input: "go on", previous_response_id: `resp_${before}`, metadata: { a: 1 } };
      for (const key of ["k", "k".repeat(255)]) {
        const headers = { "idempotency-key": key };
        const ask = () => v1.ask("/v1/runs", { body, headers });
        const first = await ask();
        assert.deepEqual([first.status, ...replayed(first)], [202, false, undefined]);
        const sessions = await sessionCount(journal);
        for (let time = 0; time < 3; time += 1) {
          const again = await ask();
          assert.deepEqual(replayed(again), [true, "true"]);
          for (const field of ["run_id", "session_id"]) {
            assert.equal(again.body[field], first.body[field]);
          }
        }
        assert.equal(await sessionCount(journal), sessions);
        const other = await v1.ask("/v1/runs", { body: { ...body, input: "no" }, headers });
        assert.deepEqual([other.status, other.error.code], [409, "idempotency_key_conflict"]);
      }
      const without = [await v1.ask("/v1/runs", { body }), await v1.ask("/v1/runs", { body })];
      assert.equal(new Set(without.map((reply) => reply.body["session_id"])).size, 2);
    },
  );
}

test("[C2] one key in two sessions is not one request", LIMIT, async () => {
  await using v1 = await openV1();
  const ask = (session: object) =>
    v1.ask("/v1/runs", { body: { input: "go" }, headers: { "idempotency-key": "k", ...session } });
  const first = await ask({ "x-hermes-session-id": "a" });
  assert.equal((await ask({ "x-hermes-session-id": "a" })).body["run_id"], first.body["run_id"]);
  for (const session of [{ "x-hermes-session-id": "b" }, {}]) {
    const other = await ask(session);
    assert.deepEqual([other.status, other.error.code], [409, "idempotency_key_conflict"]);
  }
});

test("[W3] a cursor that was never told is refused before anything is sent", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const runId = await s.start(journal);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.token("m1", "hi"));
  const head = async () => (await journal.reads.session("s1"))?.seq ?? 0;
  const events = (cursor: number, headers: Record<string, string> = {}) =>
    v1.ask(`/v1/runs/${runId}/events?cursor=${cursor}`, { headers });
  for (const headers of [{}, JSON_PLEASE]) {
    for (const beyond of [1, 2, 1_000_000]) {
      const reply = await events((await head()) + beyond, headers);
      assert.deepEqual([reply.status, reply.error?.code], [409, "cursor_invalid"], `${beyond}`);
    }
  }
  await s.end(journal, claim);
  const page = await events(0, JSON_PLEASE);
  assert.deepEqual(page.body["cursor"], String((await head()) + 1), "an end has two numbers");
  const rest = await events((await head()) + 1, JSON_PLEASE);
  assert.deepEqual([rest.status, rest.body["events"]], [200, []]);
  assert.equal((await events((await head()) + 1)).status, 204);
  for (const headers of [{}, JSON_PLEASE]) {
    assert.equal((await events((await head()) + 2, headers)).error?.code, "cursor_invalid");
  }
});

test("[W1] a poll tells the status as of what it tells", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const runId = await s.start(journal);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started());
  const cursor = (await journal.reads.session("s1"))?.seq ?? 0;
  const path = `/v1/runs/${runId}/events?cursor=${cursor}`;
  const waiting = v1.ask(path, { headers: JSON_PLEASE });
  await until(() => v1.followed() === 1, "the poll");
  await s.end(journal, claim);
  const { body } = await waiting;
  assert.deepEqual(
    (body["events"] as { event: string }[]).map(({ event }) => event),
    ["done", "stream_end"],
  );
  assert.equal(body["status"], "completed");
});

test("[W3] pollers that come together for the end of a run all get it", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const runId = await s.start(journal);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.token("m1", "a"), d.said("m1", "a"));
  const cursor = (await journal.reads.session("s1"))?.seq ?? 0;
  await s.end(journal, claim);
  const path = `/v1/runs/${runId}/events?cursor=${cursor}`;
  const polls = Array.from({ length: 20 }, () => v1.ask(path, { headers: JSON_PLEASE }));
  for (const { body } of await Promise.all(polls)) {
    assert.equal((body["events"] as object[]).length, 2);
  }
});

test(
  "[W3] a long run is polled in pieces, of which none is large and none is lost",
  LIMIT,
  async () => {
    await using v1 = await openV1();
    const { journal } = v1;
    const runId = await s.start(journal);
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started());
    const words = Array.from({ length: 300 }, (_, at) => `${at} ${"x".repeat(10_000)}`);
    for (let at = 0; at < words.length; at += 50) {
      const tokens = words.slice(at, at + 50).map((text) => d.token("m1", text));
      await s.write(journal, claim, ...tokens);
    }
    await s.end(journal, claim);
    const said: unknown[] = [];
    let polls = 0;
    for (let cursor = "0", over = false; !over; polls += 1) {
      const path = `/v1/runs/${runId}/events?cursor=${cursor}`;
      const { body, text } = await v1.ask(path, { headers: JSON_PLEASE });
      assert.ok(text.length < 2 * 1_048_576, `${text.length} characters`);
      const events = body["events"] as { event: string; data: { text?: string } }[];
      for (const { event, data } of events) if (event === "token") said.push(data.text);
      cursor = String(body["cursor"]);
      over = events.length === 0 || events.at(-1)?.event === "stream_end";
    }
    assert.ok(said.join("") === words.join(""), "every word once, in order");
    assert.ok(polls > 3);
  },
);

test("[W4] what a subagent waits for, its run waits for", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const runId = await s.start(journal);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.intent("c1"));
  const child_run_id = `${runId}.c1`;
  const about = { subagent_id: child_run_id, child_run_id, call_id: "c1", title: "Below" };
  await s.write(journal, claim, {
    type: "subagent.started",
    payload: { ...about, prompt: "below", depth: 1 },
  });
  const view = async () => (await v1.ask(`/v1/runs/${runId}`)).body;
  const head = async () => `${runId}:0${(await journal.reads.session("s1"))?.seq}`;
  const controls = async () =>
    ((await view())["active_controls"] as string[]).filter((name) =>
      ["approval", "clarify"].includes(name),
    );
  assert.deepEqual([(await view())["status"], await controls()], ["running", []]);
  await journal.startChild({ runId: child_run_id, parent: claim, message: "below" });
  const child = await s.claimed(journal, { childrenOnly: true });
  await s.write(journal, child, d.started(), d.clarifyAsked("cl_1", null));
  assert.deepEqual(
    [(await view())["status"], await controls()],
    ["waiting_for_clarification", ["clarify"]],
  );
  assert.equal((await view())["last_event_id"], await head(), "its stream tells of the question");
  await s.write(journal, child, d.intent("c2"), d.approvalAsked("c2"));
  const both = await view();
  assert.deepEqual(
    [both["status"], await controls()],
    ["waiting_for_approval", ["approval", "clarify"]],
  );
  assert.deepEqual([both["pending_approval_id"], both["pending_clarify_id"]], ["ap_c2", "cl_1"]);
  assert.equal(both["lifecycle"], "awaiting_approval");
  const { data } = (await v1.ask(`/api/runs/${runId}`)).body as { data: Record<string, unknown> };
  assert.deepEqual([data["pending_approval_id"], data["pending_clarify_id"]], ["ap_c2", "cl_1"]);
  assert.ok((data["active_controls"] as string[]).includes("approval"));
  const given = await v1.ask(`/api/runs/${runId}/clarifications/cl_1`, {
    body: { response: "left" },
  });
  assert.equal(given.status, 202, "the run's own address takes the answer, too");
  const cursor = String(both["last_event_id"]);
  const rest = v1.ask(`/v1/runs/${runId}/events?cursor=${cursor}`, { headers: JSON_PLEASE });
  await until(() => v1.followed() === 1, "the poll");
  const ids = { runId: child.runId, approvalId: "ap_c2" };
  await journal.commands.respondApproval(ids, { choice: "once", by: "somebody" });
  assert.ok(((await rest).body["events"] as object[]).length > 0, "what comes after it is told");
  await s.end(journal, child);
  await s.end(journal, claim);
  const end = await head();
  await s.start(journal, { message: "next" });
  const over = await view();
  assert.deepEqual([over["last_event"], over["last_event_id"]], ["run.completed", end]);
});

test("[W6] the newest event has this API's name, or ours where it has none", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const runId = await s.start(journal);
  const last = async () => (await v1.ask(`/v1/runs/${runId}`)).body["last_event"];
  assert.equal(await last(), "run.queued");
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.token("m1", "hi"));
  assert.equal(await last(), "message.delta");
  await s.write(journal, claim, d.intent("c1"), d.approvalAsked("c1"));
  assert.equal(await last(), "approval.request");
});

test("[V3] who left before the waiting began is not waited for", LIMIT, async () => {
  const app = fastify();
  const seen = Promise.withResolvers<AbortSignal>();
  app.get("/", async (_request, reply) => {
    await once(reply.raw, "close");
    seen.resolve(abortOnDisconnect(reply));
    return reply.hijack();
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  try {
    const client = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => undefined);
    app.server.once("request", () => client.destroy());
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert.equal((await seen.promise).aborted, true);
  } finally {
    await app.close();
  }
});
