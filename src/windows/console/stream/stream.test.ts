// The console's stream over real sockets; the test plays the runner.
import assert from "node:assert/strict";
import { after, test, type TestContext } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { readEvents, type Frame } from "../../../../test/support/http.ts";
import { openRaw } from "../../../../test/support/journal/raw.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { consoleDialect, type ConsoleFrame } from "../wire/console.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import { backwards } from "./backwards.ts";
import { openConsole } from "../test-support.ts";

const console_ = await openConsole();
const { journal, app, token, get, post } = console_;
const url = await app.listen({ port: 0, host: "127.0.0.1" });
after(() => console_[Symbol.asyncDispose]());

let sessions = 0;
const newSession = () => `session-${(sessions += 1)}`;

type Seen = { readonly id: number; readonly frame: ConsoleFrame };

const isBeat = (data: string) => data.startsWith('{"id":"ping:');

const seen = (frames: readonly Frame[]): Seen[] =>
  frames
    .filter(({ data }) => !isBeat(data))
    .map(({ id, data }) => ({ id: Number(id), frame: JSON.parse(data) as ConsoleFrame }));

type Following = {
  query?: string;
  after?: string;
  until?: (frame: ConsoleFrame) => boolean;
  open?: () => void;
  first?: boolean; // stop at the first beat
};

async function follow(sessionId: string, following: Following = {}) {
  const { query = "", after: from, until, open, first = false } = following;
  const path = `/api/gui/stream/session/${sessionId}${query}`;
  const got = await readEvents({ url, token }, path, {
    after: from,
    limitMs: 10_000,
    until: ({ data }) => {
      if (!isBeat(data)) return until?.(JSON.parse(data) as ConsoleFrame) ?? false;
      open?.();
      return first;
    },
  });
  return { ...got, emitted: seen(got.frames) };
}

let clock = 0;
/** The journal's times never go back: every test with a clock of its own begins after the one before. */
function ownClock(t: TestContext) {
  clock = Math.max(clock, Date.now());
  t.mock.timers.enable({ apis: ["Date"], now: clock });
  return { pass: (ms: number) => t.mock.timers.setTime((clock += ms)) };
}

const typed = (type: string) => (frame: ConsoleFrame) => frame.type === type;
const types = (emitted: readonly Seen[]) => emitted.map(({ frame }) => frame.type);

const play = (session_id: string, ...did: Draft[]) => playTo("completed", session_id, did);

async function playTo(end: "completed" | "failed", session_id: string, did: Draft[] = []) {
  const runId = await s.start(journal, { session_id });
  const claim = await s.claimed(journal);
  assert.equal(claim.runId, runId);
  await s.write(journal, claim, d.started(), d.turnStarted(1), ...did);
  const said = await s.write(journal, claim, d.token("m1.1", "hi"), d.said("m1.1", "hi"));
  await s.write(journal, claim, d.done(said + 1, end, "hi"));
  return runId;
}

/** What the dialect makes of everything the journal has. */
async function expected(sessionId: string): Promise<Seen[]> {
  const state = consoleDialect.begin();
  return (await s.sessionEvents(journal, sessionId)).flatMap((event) =>
    encode(consoleDialect, event, state, { replay: true }).map((frame) => ({
      id: event.session_seq,
      frame,
    })),
  );
}

test("[W1, W3] history=1 tells everything the journal has, each event once, under its session_seq", async () => {
  const session = newSession();
  await play(session);
  const { emitted } = await follow(session, { query: "?history=1", until: typed("run.completed") });
  assert.deepEqual(emitted, await expected(session));
  const ids = emitted.map(({ id }) => id);
  const inOrder = [...new Set(ids)].toSorted((a, b) => a - b);
  assert.deepEqual(ids, inOrder);
});

test("[W11a] a first run that is over before the client opens its stream again still arrives", async () => {
  for (const end of ["completed", "failed"] as const) {
    const session = newSession();
    await follow(session, { first: true }); // its first stream, closed when it gets the answer to its POST
    await playTo(end, session);
    const { emitted } = await follow(session, { until: typed(`run.${end}`) });
    assert.deepEqual(emitted, await expected(session));
  }
});

test("[W11b] a run that ended between the transcript and the stream of an older session still ends there", async (t) => {
  for (const end of ["completed", "failed"] as const) {
    const session = newSession();
    const { pass } = ownClock(t);
    await play(session);
    pass(60_000);
    await playTo(end, session);
    const { emitted } = await follow(session, { until: typed(`run.${end}`) });
    const all = await expected(session);
    const from = all.findLastIndex(({ frame }) => frame.type === "message.assistant.completed");
    assert.deepEqual(emitted, all.slice(from), "its last message and its end, and nothing before");
    pass(60_000);
    const later = await follow(session, { first: true });
    assert.deepEqual(later.emitted, []);
    t.mock.timers.reset();
  }
});

test("[W11] words of an answer that is not complete are in the transcript or in the stream, never in both", async (t) => {
  const session = newSession();
  const shown = async (until: Following) => {
    const { data } = await get(`/sessions/${session}/transcript`);
    const items = (data["items"] as { role: string; content: string }[]).slice(1); // the question
    const { emitted } = await follow(session, until);
    const deltas = emitted.filter(({ frame }) => frame.type === "message.assistant.delta");
    return [...items, ...deltas.map(({ frame }) => frame.payload)].map((each) => each["content"]);
  };
  await s.start(journal, { session_id: session });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1));
  const seq = await s.write(journal, claim, d.token("m1.1", "half"));
  const streamed = await shown({ until: typed("message.assistant.delta") });
  await s.write(journal, claim, d.done(seq + 1, "failed", ""));
  const failed = await shown({ until: typed("run.failed") });
  ownClock(t).pass(60_000);
  const later = await shown({ first: true });
  assert.deepEqual([streamed, failed, later], [["half"], ["half"], ["half"]]);
});

test("[W1] without it a stream of an older session begins with what happens next, in the same frames", async (t) => {
  const session = newSession();
  const { pass } = ownClock(t);
  await play(session);
  pass(60_000);
  const head = (await journal.reads.session(session))?.seq ?? 0;
  const opened = Promise.withResolvers<void>();
  const following = follow(session, { open: opened.resolve, until: typed("run.completed") });
  await opened.promise;
  await play(session);
  const { emitted } = await following;
  const rest = (await expected(session)).filter(({ id }) => id > head);
  assert.deepEqual(emitted, rest);
  assert.equal(emitted[0]?.frame.type, "message.user");
});

test("[W6] a stream of a session that does not exist yet tells it from its first event", async () => {
  const session = `session-${1_774_836_602_123}`;
  const opened = Promise.withResolvers<void>();
  const following = follow(session, { open: opened.resolve, until: typed("run.failed") });
  await opened.promise;
  const sent = await post("/chat/send", { session_id: session, prompt: "hello" });
  await post("/chat/stop", { run_id: sent.data["run_id"] });
  const { emitted } = await following;
  assert.deepEqual(emitted, (await expected(session)).slice(0, emitted.length));
  assert.deepEqual(types(emitted).slice(0, 3), ["session.created", "message.user", "run.queued"]);
  const last = emitted.at(-1)?.frame.payload;
  assert.deepEqual([last?.["error_type"], last?.["status"]], ["cancelled", "cancelled"]);
});

test("[W3] a cursor resumes exactly, from every event, however it is given", async () => {
  const session = newSession();
  await play(session);
  const all = await expected(session);
  for (const { id } of all.slice(0, -1)) {
    const rest = all.filter((each) => each.id > id);
    const until = typed("run.completed");
    assert.deepEqual((await follow(session, { after: `${id}`, until })).emitted, rest);
    for (const name of ["last_event_id", "after_seq", "cursor"]) {
      const query = `?${name}=${id}`;
      assert.deepEqual((await follow(session, { query, until })).emitted, rest, query);
    }
  }
  const named = `?last_event_id=${encodeURIComponent(`${journal.epoch}/${session}:3`)}`;
  const { emitted } = await follow(session, { query: named, until: typed("run.completed") });
  assert.equal(emitted[0]?.id, 4);
});

test("[W3] what a browser has seen since counts more than where its address began", async () => {
  const session = newSession();
  await play(session);
  for (const query of ["?history=1", "?after_seq=1", "?last_event_id=2&history=1"]) {
    const { emitted } = await follow(session, { query, after: "5", until: typed("run.completed") });
    assert.equal(emitted[0]?.id, 6, query);
  }
  const { emitted } = await follow(session, {
    query: "?last_event_id=&history=1",
    until: typed("run.completed"),
  });
  assert.equal(emitted[0]?.id, 1, "an empty one is none");
});

test("[W3] whoever is cut off before anything happened comes back without a hole", async (t) => {
  const session = newSession();
  const { pass } = ownClock(t);
  await play(session);
  pass(60_000);
  const opened = await follow(session, { first: true });
  const id = opened.frames[0]?.id;
  assert.equal(id, `${(await journal.reads.session(session))?.seq}`);
  await play(session);
  const { emitted } = await follow(session, { after: id ?? "", until: typed("run.completed") });
  assert.equal(emitted[0]?.id, Number(id) + 1);
});

test("[W3, W7] a frame's own id is a cursor too, also behind the runs of others", async () => {
  const session = newSession();
  await play(session);
  await play(newSession());
  await play(session);
  const all = await expected(session);
  const until = ({ id }: ConsoleFrame) => id === all.at(-1)?.frame.id;
  for (const { id, frame } of all.slice(0, -1)) {
    if (frame.run_id === null) continue;
    const rest = all.filter((each) => each.id > id);
    assert.deepEqual((await follow(session, { after: frame.id, until })).emitted, rest, frame.id);
  }
  const own = all.filter(({ frame }) => frame.run_id === null).at(-1);
  const { emitted } = await follow(session, { after: own?.frame.id ?? "", until });
  assert.ok(Number(emitted[0]?.id) <= Number(own?.id) + 1, "too early perhaps, never too late");
});

test("[K2, W3] a cursor that fits nothing here begins at the beginning: a browser cannot be refused", async () => {
  const session = newSession();
  const runId = await play(session);
  const other = await play(newSession());
  const head = (await journal.reads.session(session))?.seq ?? 0;
  const all = await expected(session);
  const until = typed("run.completed");
  for (const after of [
    `${head + 1}`,
    "9".repeat(15),
    "other:3",
    `${other}:3`,
    `${runId}:0`,
    `${runId}:999`,
    `0e1/${session}:3`,
    `0e1/${runId}:3`,
  ]) {
    assert.deepEqual((await follow(session, { after, until })).emitted, all, after);
    const query = `?cursor=${encodeURIComponent(after)}`;
    assert.deepEqual((await follow(session, { query, until })).emitted, all, query);
  }
  const later = newSession();
  const opened = Promise.withResolvers<void>();
  const following = follow(later, { after: "3", open: opened.resolve, until });
  await opened.promise;
  await play(later);
  assert.deepEqual((await following).emitted, await expected(later), "of a session to come");
});

test("[K2, W3] what is no cursor at all is refused before the stream begins", async () => {
  const session = newSession();
  await play(session);
  const head = (await journal.reads.session(session))?.seq ?? 0;
  for (const bad of ["-1", "x", "1.5", ":3", `${session}:x`, `a/b/c:3`, "9".repeat(40)]) {
    for (const [query, headers] of [
      [`?last_event_id=${encodeURIComponent(bad)}`, {}],
      [`?after_seq=${encodeURIComponent(bad)}`, {}],
      ["", { "last-event-id": bad }],
    ] as [string, Record<string, string>][]) {
      const reply = await get(`/stream/session/${session}${query}`, headers);
      assert.deepEqual([reply.http, reply.ok], [409, false], `${bad} ${query}`);
      assert.equal(reply.error.code, "cursor_invalid");
      assert.deepEqual([reply.error["head"], reply.error["log"]], [head, session], "flat too");
    }
  }
  const twice = await get(`/stream/session/${session}?after_seq=1&after_seq=2`);
  assert.deepEqual([twice.http, twice.ok], [400, false]);
});

test("[W4, W6] run_id shows that run and what its subagents ask, and ends with it", async (t) => {
  const { pass } = ownClock(t);
  const session = newSession();
  const before = await play(session);
  const runId = await s.start(journal, { session_id: session });
  const parent = await s.claimed(journal);
  const child_run_id = `${runId}.c9`;
  const ids = { subagent_id: child_run_id, child_run_id, call_id: "c9", title: "Sub" };
  await s.write(journal, parent, d.started(), {
    type: "subagent.started",
    payload: { ...ids, prompt: "go", depth: 1 },
  });
  await journal.startChild({ runId: child_run_id, parent, message: "go" });
  const child = await s.claimed(journal, { childrenOnly: true });
  await s.write(journal, child, d.started(), d.turnStarted(1), d.token("m1.1", "inner"));
  await s.write(journal, child, d.intent("c1"), d.approvalAsked("c1"));
  const later = await s.start(journal, { session_id: session, message: "queued behind" });
  const finish = async () => {
    await journal.commands.respondApproval(
      { runId: child_run_id, approvalId: "ap_c1" },
      { choice: "once", by: "person" },
    );
    await s.end(journal, child);
    await s.end(journal, parent);
    await journal.commands.cancelRun(later, {}); // out of the way of the next test
  };
  const opened = Promise.withResolvers<void>();
  const query = `?history=1&run_id=${runId}`;
  const following = follow(session, { query, open: opened.resolve });
  await opened.promise;
  await finish();
  const { emitted, ended } = await following;
  assert.ok(ended, "the server ended it");
  assert.deepEqual(
    new Set(emitted.map(({ frame }) => frame.run_id)),
    new Set([runId, child_run_id]),
    `${before} and ${later} are other runs`,
  );
  const ofChild = emitted.filter(({ frame }) => frame.run_id === child_run_id);
  assert.deepEqual(types(ofChild), ["approval.requested", "approval.resolved"]);
  assert.equal(emitted.at(-1)?.frame.type, "run.completed");
  const end = emitted.at(-1)?.id ?? 0;
  const again = await follow(session, { query, after: `${end - 1}` });
  assert.deepEqual(again.emitted, emitted.slice(-1), "a resume gives the rest");
  pass(60_000);
  for (const way of [{ query, after: `${end}` }, { query: `?run_id=${runId}` }]) {
    assert.equal((await follow(session, way)).status, 204, "nothing is left to come");
  }
});

test("[W6] a run that is not of this session, or an id that is none, is refused", async () => {
  const session = newSession();
  const runId = await play(session);
  const other = newSession();
  await play(other);
  for (const [path, http, code] of [
    [`/stream/session/${other}?run_id=${runId}`, 404, "run_not_found"],
    [`/stream/session/${session}?run_id=run_none`, 404, "run_not_found"],
    [`/stream/session/${session}?run_id=a%20b`, 400, "invalid_run_id"],
    ["/stream/session/a%20b", 400, "invalid_session_id"],
    ["/stream/session/-x", 400, "invalid_session_id"],
  ] as const) {
    const reply = await get(path);
    assert.deepEqual([reply.http, reply.error["reason"] ?? reply.error.code], [http, code], path);
  }
});

test("[H3, W6] over a raw socket: the headers, a ping at once, unnamed frames with ids", async () => {
  const session = newSession();
  await play(session);
  using raw = openRaw(url);
  const { host } = new URL(url);
  let received = "";
  const complete = Promise.withResolvers<void>();
  raw.socket.on("data", (chunk: Buffer) => {
    received += chunk.toString();
    if (received.includes('"run.completed"') && received.endsWith("\n\n\r\n")) complete.resolve();
  });
  raw.write(
    `GET /api/gui/stream/session/${session}?history=1 HTTP/1.1\r\nHost: ${host}\r\n` +
      `Authorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  await complete.promise;
  const [head = "", body = ""] = received.split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(head, /content-type: text\/event-stream/i);
  assert.match(head, /cache-control: no-/i);
  assert.match(head, /x-accel-buffering: no/i);
  assert.match(head, /connection: keep-alive/i);
  const text = `${body}${received.slice(head.length + body.length + 4)}`;
  const [, beat = ""] = /^[0-9a-f]+\r\nid: 0\ndata: (.+)\n\n/.exec(text) ?? [];
  const { id, ts, ping, ...envelope } = JSON.parse(beat) as Record<string, unknown>;
  assert.deepEqual(envelope, { type: "ping", session_id: session, run_id: null, payload: {} });
  assert.equal(id, `ping:${Date.parse(String(ts))}`);
  assert.equal(ping, Date.parse(String(ts)) / 1000, "as the real server's");
  assert.ok(!/^event:/m.test(text), "no names: the client listens to `message` only");
  assert.match(text, /^id: 1\ndata: \{"id":"[^"]+","type":"session\.created"/m);
});

test("[W1] a log read from its end is the log, whole, however long it is", async () => {
  for (const extra of [0, 60, 61, 62, 126, 200]) {
    const did = Array.from({ length: extra }, (_, at) => d.used(at, 1));
    const runId = await play(newSession(), ...did);
    const seqs: number[] = [];
    for await (const { seq } of backwards(journal, runId)) seqs.push(seq);
    const head = (await journal.reads.run(runId))?.seq ?? 0;
    assert.deepEqual(
      seqs,
      Array.from({ length: head }, (_, at) => head - at),
    );
  }
  for await (const event of backwards(journal, "run_none")) assert.fail(event.type);
});
