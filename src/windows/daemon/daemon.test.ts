// The daemon window's socket: every session live to everybody, snapshots that fit, answers that count.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { WebSocket } from "ws";
import {
  assertRising,
  connectDaemon,
  headers,
  serveDaemon,
  wholeSession,
} from "../../../test/support/daemon/place.ts";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Claim, Journal } from "../../kernel/journal/journal.ts";
import { DAEMON_ROUTES } from "./wire/routes.ts";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
} from "../../../test/clients/execution-tree/execution-tree.ts";
import { daemonWindow } from "./daemon.ts";

const snapshot = (sessionId: string, lastEventId?: unknown) => ({
  method: "snapshot.request",
  params: { sessionId, lastEventId },
});
const respond = (requestId: string, approved: boolean, more: object = {}) => ({
  method: "permission.response",
  params: { requestId, sessionId: "s1", approved, ...more },
});
const fold = (frames: readonly object[]) =>
  toExecutionTree(frames.reduce(applyEnvelope, emptyExecution("s1")));

async function asked(journal: Journal, claim: Claim, ...ids: string[]): Promise<void> {
  const drafts = ids.flatMap((id) => [d.intent(id), d.approvalAsked(id)]);
  await s.write(journal, claim, d.started(), ...drafts, d.status("awaiting_approval"));
}
const answersIn = async (journal: Journal, runId: string) =>
  (await s.payloadsOf(journal, runId, "approval.resolved")).map(({ choice, by }) => [choice, by]);

test("the routes are the ones that are described", async () => {
  await using store = sqliteStore();
  const { sockets = [] } = daemonWindow({ journal: await store.connect() } as never);
  const paths = sockets.map(({ path }) => path);
  assert.deepEqual(
    paths,
    DAEMON_ROUTES.map(({ path }) => path),
  );
});

test("[W1, W3] every client is told of every session, the same bytes, from its connection on", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.token("m", "before"));
  await using server = await serveDaemon(journal);
  using one = await connectDaemon(server.url);
  using other = await connectDaemon(server.url.replace("/api/daemon/ws", "/ws"));
  await s.write(journal, claim, d.token("m", "after"));
  await s.start(journal, { session_id: "s2" });
  const created = await wholeSession(journal, "s2");
  await s.write(journal, claim, d.said("m", "…"), d.turnCompleted(1), d.token("m", "end"));
  const last = (await wholeSession(journal)).at(-1)?.eventId ?? 0;
  for (const client of [one, other]) {
    await client.upTo(last);
    await client.upTo(created.at(-1)?.eventId ?? 0, "s2");
    assertRising(client.frames());
  }
  assert.deepEqual(one.texts.toSorted(), other.texts.toSorted());
  // What was there before is asked for; what is new comes by itself, a new session from its beginning.
  const mine = (await wholeSession(journal)).slice(-2);
  assert.deepEqual(
    one.frames().filter(({ sessionId }) => sessionId === "s1"),
    mine,
  );
  assert.deepEqual(
    one.frames().filter(({ sessionId }) => sessionId === "s2"),
    created,
  );
  assert.deepEqual(server.errors, []);
});

test("[W9] without a token, or from another site, nobody is let in", async () => {
  await using store = sqliteStore();
  await using server = await serveDaemon(await store.connect());
  for (const given of [{}, { ...headers, origin: "http://evil.example" }]) {
    const ws = new WebSocket(server.url, { headers: given });
    ws.on("error", () => undefined);
    const [, response] = (await once(ws, "unexpected-response")) as [
      unknown,
      { statusCode: number },
    ];
    assert.ok([401, 403].includes(response.statusCode));
    ws.terminate();
  }
});

test("[W1] a snapshot is the session so far, byte for byte as it was told live", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await using server = await serveDaemon(journal);
  using client = await connectDaemon(server.url);
  await s.write(journal, claim, d.started(), d.token("m", "“ü”"), d.intent("c1"), d.toolDone("c1"));
  await client.upTo((await wholeSession(journal)).at(-1)?.eventId ?? 0);
  const live = client.texts.filter((text) => text.startsWith('{"eventId"'));
  const answer = await client.ask(snapshot("s1"));
  const head = (await journal.reads.session("s1"))?.seq;
  assert.deepEqual(Object.keys(answer), ["method", "sessionId", "lastEventId", "events"]);
  assert.deepEqual(
    [answer.method, answer["sessionId"], answer["lastEventId"]],
    ["snapshot.response", "s1", head],
  );
  assert.deepEqual(answer["events"], await wholeSession(journal));
  const raw = client.texts.at(-1) ?? "";
  for (const text of live) assert.ok(raw.includes(text));
});

test("[W3] a snapshot after an event has only what is newer; of an unknown session it is empty", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(
    journal,
    claim,
    d.started(),
    d.token("m", "a"),
    d.said("m", "a"),
    d.token("m", "b"),
  );
  await using server = await serveDaemon(journal);
  using client = await connectDaemon(server.url);
  const all = await wholeSession(journal);
  const head = (await journal.reads.session("s1"))?.seq ?? 0;
  for (const after of [0, 1, 4, 5, head, head + 9]) {
    const { events, lastEventId } = await client.ask(snapshot("s1", after));
    assert.deepEqual(
      events,
      all.filter(({ eventId }) => eventId > after),
    );
    assert.equal(lastEventId, head);
  }
  for (const nonsense of ["3", 1.5, null, {}]) {
    assert.deepEqual((await client.ask(snapshot("s1", nonsense)))["events"], all);
  }
  const none = await client.ask(snapshot("nobody"));
  assert.deepEqual(none, {
    method: "snapshot.response",
    sessionId: "nobody",
    lastEventId: 0,
    events: [],
  });
  client.send({ method: "snapshot.request", params: {} });
  client.send({ method: "snapshot.request" });
  assert.equal(
    (await client.ask({ method: "scheduler.cron.status" })).method,
    "scheduler.cron.status.result",
  );
  assert.equal(client.replies().length, 12);
});

test("[W1, W3] snapshots and live events fit together while much is written", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await using server = await serveDaemon(journal, { heartbeatMs: 300 }); // pings stand between fragments
  await s.write(journal, claim, d.started(), d.turnStarted(1));
  const long = "words ".repeat(5_000);
  for (let at = 0; at < 60; at += 1) await s.write(journal, claim, d.token("m", `${at} ${long}`));
  using client = await connectDaemon(server.url);
  let writing = true;
  const writer = (async () => {
    for (let at = 0; writing; at += 1) {
      await s.write(
        journal,
        claim,
        d.token("m", `${at};`),
        d.intent(`c${at}`),
        d.toolDone(`c${at}`),
      );
    }
  })();
  for (let round = 0; round < 4; round += 1) {
    const before = client.frames().length;
    const answer = await client.ask(snapshot("s1"));
    const events = answer["events"] as object[];
    assert.ok(JSON.stringify(answer).length > 1_700_000);
    await until(() => client.frames().length > before + 20, "live events");
    // As the dashboard does it: the snapshot, then everything live; it drops what it has.
    const whole = await wholeSession(journal);
    const last = client.frames().at(-1)?.eventId ?? 0;
    const expected = fold(whole.filter(({ eventId }) => eventId <= last));
    assert.deepEqual(fold([...events, ...client.frames()]), expected);
  }
  writing = false;
  await writer;
  assertRising(client.frames());
  assert.deepEqual(server.errors, []);
});

test("[W1] nothing lies between a snapshot and the first live event, however early it is asked for", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  const gate = Promise.withResolvers<void>();
  const sessionHeads: Journal["reads"]["sessionHeads"] = async () => {
    await gate.promise;
    return journal.reads.sessionHeads();
  };
  await using server = await serveDaemon({ ...journal, reads: { ...journal.reads, sessionHeads } });
  using client = await connectDaemon(server.url);
  client.send(snapshot("s1"));
  client.send({ method: "scheduler.cron.status" });
  for (let turn = 0; turn < 50; turn += 1) await setImmediate(); // it is there, and waits
  await s.write(journal, claim, d.token("m", "between"));
  gate.resolve();
  await until(() => client.replies().length === 2, "both answers");
  await s.write(journal, claim, d.token("m", "later"));
  const whole = await wholeSession(journal);
  await client.upTo(whole.at(-1)?.eventId ?? 0);
  const [answer] = client.replies();
  const known = [...((answer?.["events"] ?? []) as object[]), ...client.frames()];
  assert.deepEqual(fold(known), fold(whole));
});

test("[V3, W1] a client that reads nothing is dropped alone", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await using server = await serveDaemon(journal);
  using good = await connectDaemon(server.url);
  const lazy = connect(server.port, "127.0.0.1");
  lazy.on("error", () => undefined);
  lazy.write(
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${headers.authorization}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
  );
  await once(lazy, "data");
  lazy.pause();
  await until(() => server.open.size === 2, "both");
  await s.write(journal, claim, d.started());
  const long = "words ".repeat(10_000);
  for (let at = 0; at < 200; at += 1) await s.write(journal, claim, d.token("m", long));
  await good.upTo(204);
  await until(() => server.open.size === 1, "the lazy one to be dropped");
  assert.deepEqual(good.frames(), (await wholeSession(journal)).slice(1));
  lazy.destroy();
});

test("sessions are listed without the deleted ones, newest first, in the daemon's words", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  for (const session_id of ["s1", "s2", "s3"]) await s.start(journal, { session_id });
  await journal.commands.updateSession("s2", { deleted: true });
  await using server = await serveDaemon(journal);
  using client = await connectDaemon(server.url);
  const { method, sessions } = await client.ask({ method: "sessions.list" });
  assert.equal(method, "sessions.list.result");
  const listed = sessions as Record<string, unknown>[];
  assert.deepEqual(
    listed.map(({ sessionId }) => sessionId),
    ["s3", "s1"],
  );
  const { createdAt, ...rest } = listed[0] ?? {};
  assert.deepEqual(rest, { sessionId: "s3", projectPath: "/w", active: true, model: "demo/demo" });
  assert.equal(new Date(String(createdAt)).toISOString(), createdAt);
  assert.deepEqual(await client.ask({ method: "scheduler.cron.status", params: {} }), {
    method: "scheduler.cron.status.result",
    schedulerRunning: false,
    jobRunning: false,
    jobs: [],
  });
});

test("[W5] an answer counts once, for its own session only, and everybody sees whose it was", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  await asked(journal, claim, "c1", "c2", "c3");
  await using server = await serveDaemon(journal);
  using one = await connectDaemon(server.url);
  using other = await connectDaemon(server.url);
  const cancelled = () =>
    other
      .frames()
      .flatMap(({ event }) => (event.method === "permission.response" ? [event.params] : []));
  one.send(respond("ap_c1", false, { sessionId: "s2" }));
  one.send(respond("nobody", true));
  one.send({ method: "permission.response", params: { requestId: "ap_c1", approved: true } });
  one.send(respond("ap_c1", false)); // too late: the first answer has won
  other.send(respond("ap_c2", true, { remember: true }));
  other.send(respond("ap_c3", false));
  await until(() => cancelled().length === 3, "three answers");
  const given = Object.fromEntries(
    (await s.payloadsOf(journal, runId, "approval.resolved")).map(({ approval_id, choice, by }) => [
      approval_id,
      [choice, by],
    ]),
  );
  assert.deepEqual(given, {
    ap_c1: ["once", "daemon"],
    ap_c2: ["session", "daemon"],
    ap_c3: ["deny", "daemon"],
  });
  for (const { via } of cancelled() as { via: string }[]) assert.equal(via, "websocket");
  assert.equal((await answersIn(journal, runId)).length, 3);
  const refused = one
    .replies()
    .map(({ method, params }) => [method, (params as { requestId: string }).requestId]);
  const error = "quarterdeck.error"; // for another session, for nobody, and too late
  assert.deepEqual(refused, [
    [error, "ap_c1"],
    [error, "nobody"],
    [error, "ap_c1"],
  ]);
  assert.equal(other.replies().length, 0, "an answer that was taken is not answered");
  assert.deepEqual(server.errors, []);
});

test("[W4, W5] questions are answered by a button as they say, or in words", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  const questions = ["q1", "q2", "q3"].map((id) => d.clarifyAsked(id, null));
  await s.write(
    journal,
    claim,
    d.started(),
    ...questions,
    d.intent("c1"),
    d.toolStarted("c1"),
    d.outcomeUnknown("c1"),
    d.status("awaiting_clarify"),
  );
  await using server = await serveDaemon(journal);
  using client = await connectDaemon(server.url);
  const words = (requestId: string, response: unknown) => ({
    method: "clarify.response",
    params: { requestId, sessionId: "s1", response },
  });
  client.send(words("q3", ""));
  client.send(words("q3", 7));
  client.send(words("un_c1", "explode"));
  client.send(respond("q1", true));
  client.send(respond("q2", false));
  client.send(words("q3", "neither"));
  client.send(respond("un_c1", true));
  const given = async () =>
    Object.fromEntries(
      (await s.payloadsOf(journal, runId, "clarify.resolved")).map(({ clarify_id, response }) => [
        clarify_id,
        response,
      ]),
    );
  await until(async () => Object.keys(await given()).length === 4, "four answers");
  assert.deepEqual(await given(), { q1: "left", q2: "right", q3: "neither", un_c1: "check" });
  await asked(journal, claim, "c9");
  client.send(words("ap_c9", "once")); // an approval is not answered in words
  await client.ask({ method: "scheduler.cron.status" });
  assert.deepEqual(await answersIn(journal, runId), []);
});

test("[W6] what cannot be done is said without closing, and nothing else is lost", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  let broken = true;
  const readSession: Journal["readSession"] = async (...args) => {
    if (broken && args[0] === "s1") throw new Error("disk on fire");
    return journal.readSession(...args);
  };
  await using server = await serveDaemon({ ...journal, readSession });
  using client = await connectDaemon(server.url);
  const said = await client.ask(snapshot("s1"));
  assert.deepEqual(said, {
    method: "quarterdeck.error",
    params: { code: "internal", message: "Internal error" },
  });
  await s.write(journal, claim, d.token("m", "unheard"));
  await s.start(journal, { session_id: "s2" });
  await client.upTo(1, "s2");
  broken = false;
  await s.write(journal, claim, d.token("m", "heard"));
  await client.upTo((await wholeSession(journal)).at(-1)?.eventId ?? 0);
  const words = client
    .frames()
    .flatMap(({ event }) => (event.method === "stream.text" ? [event.params] : []));
  assert.deepEqual(words, [{ delta: "unheard" }, { delta: "heard" }]);
});
