// One socket, many sessions: each told whole, once and in order, whatever the tab asks for meanwhile.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import {
  connectFeed,
  isEvent,
  serveFeed,
  type FeedClient,
} from "../../../../test/support/windows/feed-place.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../journal/contract/store.contract.ts";
import type { Claim, Journal } from "../../journal/journal.ts";

const seqsOf = (client: FeedClient, sessionId: string) =>
  client.events(sessionId).map(({ session_seq }) => session_seq);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const headOf = async (journal: Journal, sessionId: string) =>
  (await journal.reads.session(sessionId))?.seq ?? 0;

/** Sessions with a run each that goes on. */
async function withSessions(journal: Journal, ids: readonly string[]): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const session_id of ids) {
    await s.start(journal, { session_id });
    const claim = await s.claimed(journal);
    await s.write(journal, claim, d.started());
    claims.push(claim);
  }
  return claims;
}

test("[L1] several sessions on one socket: each past, then what happens, once and in order", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const ids = ["s1", "s2", "s3"];
  const claims = await withSessions(journal, ids);
  const words = Array.from({ length: 300 }, (_, index) => d.token("m", `${index} `));
  for (const claim of claims) for (const word of words) await s.write(journal, claim, word);
  await using server = await serveFeed(journal);
  await using client = await connectFeed(server);
  for (const id of ids) client.watch(id);
  const live = claims.map((claim) => s.write(journal, claim, d.token("n", "news")));
  await Promise.all(live);
  for (const id of ids) await client.caughtUp(id);
  for (const claim of claims) await s.write(journal, claim, d.token("n", " again"));
  for (const id of ids) {
    const head = await headOf(journal, id);
    await client.until(() => seqsOf(client, id).at(-1) === head, `all of ${id}`);
    assert.deepEqual(client.events(id), await s.sessionEvents(journal, id));
    const [began] = client.frames("watching", id);
    assert.ok(began && client.lines.indexOf(began) < client.lines.findIndex(isOf(id)));
    const [caught] = client.frames("caught_up", id);
    assert.ok(caught && caught.session_seq >= 303);
    const before = client.lines.slice(0, client.lines.indexOf(caught)).filter(isOf(id));
    assert.equal(before.length, caught.session_seq, "told when everything up to it was told");
  }
  assert.ok(
    client.messages() < 60,
    `${client.messages()} messages for ${client.lines.length} lines`,
  );
});

const isOf = (id: string) => (line: Parameters<typeof isEvent>[0]) =>
  isEvent(line) && line.session_id === id;

test("[L2b] the set changes on the open socket, again and again, and nothing is lost or told twice", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const [claim, other] = await withSessions(journal, ["s1", "s2"]);
  assert.ok(claim && other);
  await using server = await serveFeed(journal);
  await using client = await connectFeed(server);
  client.watch("s2");
  let writing = true;
  const writer = (async () => {
    for (let n = 0; n < 400; n += 1) await s.write(journal, claim, d.token("m", `${n} `));
    writing = false;
  })();

  // As a tab does it: what came before the newest watch was confirmed belongs to an older one.
  let have: number[] = [];
  let read = 0;
  let mark = client.watch("s1");
  let confirmed = 0;
  const take = () => {
    for (const line of client.lines.slice(read)) {
      read += 1;
      if ("feed" in line && line.feed === "watching" && line.session_id === "s1") {
        confirmed = line.mark;
      }
      if (isOf("s1")(line) && isEvent(line) && confirmed === mark) have.push(line.session_seq);
    }
  };
  for (let round = 0; writing || round < 12; round += 1) {
    await client.until(() => (take(), confirmed === mark), "the newest watch");
    if (round % 3 === 0) client.send({ type: "unwatch", session_id: "s1" });
    if (round % 5 === 0) have = []; // from the beginning, as after a drift
    mark = client.watch("s1", have.length);
  }
  await writer;
  const head = await headOf(journal, "s1");
  await client.until(() => (take(), have.at(-1) === head), "the end");
  assert.deepEqual(have, upTo(head));
  await s.write(journal, other, d.token("m", "still here"));
  await client.until(() => seqsOf(client, "s2").length === 4, "the other session");
  assert.deepEqual(server.errors, []);

  client.send({ type: "unwatch", session_id: "s1" });
  client.send({ type: "ping" });
  await client.until(() => client.frames("heartbeat").length === 2, "the server to have read it");
  const before = client.events("s1").length;
  await s.write(journal, claim, d.token("m", "unheard"));
  await s.write(journal, other, d.token("m", "heard"));
  await client.until(() => seqsOf(client, "s2").length === 5, "what is still watched");
  assert.equal(client.events("s1").length, before);
});

test("[L3] a watch that cannot be is refused by itself; the others and the socket go on", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await using server = await serveFeed(journal);
  await using client = await connectFeed(server);
  const marks = {
    nobody: client.watch("nobody"),
    beyond: client.watch("s1", 999),
    epoch: client.watch("s1", 1, { epoch: "another" }),
  };
  client.watch("s1");
  for (const bad of ["{", { type: "watch" }, { type: "watch", session_id: "a b", after: 0 }, 7]) {
    client.send(bad);
  }
  await client.caughtUp("s1");
  await client.until(() => client.frames("refused").length >= 5, "refusals");
  const about = (mark: number) => client.frames("refused").find((frame) => frame.mark === mark);
  assert.deepEqual(
    [about(marks.nobody)?.code, about(marks.nobody)?.status],
    ["session_not_found", 404],
  );
  const unnamed = client.frames("refused").filter(({ session_id }) => session_id === null);
  assert.deepEqual(
    unnamed.map(({ code }) => code),
    ["invalid_json", "invalid_request", "invalid_request", "invalid_request"],
  );
  await s.write(journal, claim, d.started());
  await client.until(() => seqsOf(client, "s1").at(-1) === 4, "what happens");
  assert.deepEqual(seqsOf(client, "s1"), upTo(4));
  assert.deepEqual(server.errors, []);
});

test("[L3, D4] a cursor of another epoch or beyond the head says where the journal stands", async () => {
  await using store = sqliteStore();
  const { journal } = await s.withRun(store);
  await using server = await serveFeed(journal);
  await using client = await connectFeed(server);
  client.watch("s1", 1, { epoch: "another" });
  await client.until(() => client.frames("refused").length === 1, "the first");
  client.watch("s1", 999);
  await client.until(() => client.frames("refused").length === 2, "the second");
  for (const { code, details } of client.frames("refused")) {
    assert.equal(code, "cursor_invalid");
    assert.deepEqual(details, { epoch: journal.epoch, head: 3, log: "s1" });
  }
  const before = Array.from({ length: 17 }, (_, index) => `t${index}`);
  for (const session_id of before) await s.start(journal, { session_id });
  for (const id of before) client.watch(id);
  await client.until(() => client.frames("refused").length === 3, "one too many");
  assert.equal(client.frames("refused")[2]?.session_id, "t16");
});

test("[L7, V4] heartbeats come at once, regularly and when asked for", async () => {
  await using store = sqliteStore();
  const { journal } = await s.withRun(store);
  await using server = await serveFeed(journal, { heartbeatMs: 40 });
  await using client = await connectFeed(server);
  await client.until(() => client.frames("heartbeat").length >= 3, "some");
  assert.equal(client.frames("heartbeat")[0]?.epoch, journal.epoch);
  await using slow = await serveFeed(journal);
  await using asking = await connectFeed(slow);
  asking.send({ type: "ping" });
  await asking.until(() => asking.frames("heartbeat").length === 2, "the answer");
});

test("[L7a, V3] a tab that reads nothing is let go, and the others hear everything", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  await using server = await serveFeed(journal, { heartbeatMs: 100 });
  await using good = await connectFeed(server);
  await using stalled = await connectFeed(server);
  for (const client of [good, stalled]) {
    client.watch("s1");
    await client.caughtUp("s1");
  }
  stalled.ws.pause();
  const page = "x".repeat(200_000);
  for (let n = 0; n < 40; n += 1) await s.write(journal, claim, d.token("m", page));
  await until(() => server.open.size === 1, "the stalled one to be gone");
  const head = await headOf(journal, "s1");
  await good.until(() => seqsOf(good, "s1").at(-1) === head, "everything");
  assert.deepEqual(seqsOf(good, "s1"), upTo(head));
  const gone = once(stalled.ws, "close");
  stalled.ws.resume();
  await gone;
  const seen = seqsOf(stalled, "s1");
  assert.deepEqual(seen, upTo(seen.length), "no hole in what it has");
  assert.ok(seen.length < head);
});

test("[L2] what was read for a watch that has ended in the meantime is told to nobody", async () => {
  await using store = sqliteStore();
  const { journal: real, claim } = await s.withRun(store);
  let gate: Promise<void> | undefined;
  let waiting = false;
  const readSession: Journal["readSession"] = async (...asked) => {
    const page = await real.readSession(...asked);
    waiting = gate !== undefined;
    await gate;
    return page;
  };
  await using server = await serveFeed({ ...real, readSession });
  await using client = await connectFeed(server);
  client.watch("s1");
  await client.caughtUp("s1");
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  await s.write(real, claim, d.started());
  await until(() => waiting, "the event to be read");
  client.send({ type: "unwatch", session_id: "s1" });
  client.send({ type: "ping" });
  await client.until(() => client.frames("heartbeat").length === 2, "the server to have read it");
  gate = undefined;
  resolve();
  client.watch("s1", 4);
  await client.caughtUp("s1", 2);
  assert.deepEqual(seqsOf(client, "s1"), upTo(3));
});

test("[L7, V3] many long pasts at once are told one after the other: asking for much is no stalling", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
  const page = "x".repeat(100_000);
  for (const claim of await withSessions(journal, ids)) {
    for (let n = 0; n < 8; n += 1) await s.write(journal, claim, d.token(`m${n}`, page));
  }
  await using server = await serveFeed(journal);
  await using client = await connectFeed(server);
  client.ws.pause();
  for (const id of ids) client.watch(id);
  await until(() => client.ws.bufferedAmount === 0, "the requests to be on their way");
  client.ws.resume();
  for (const id of ids) await client.caughtUp(id);
  for (const id of ids) assert.deepEqual(seqsOf(client, id), upTo(12));
});

/** A journal in which no session is found until the gate opens. */
function gated(real: Journal) {
  const gate = Promise.withResolvers<void>();
  const session: Journal["reads"]["session"] = async (id) => {
    await gate.promise;
    return real.reads.session(id);
  };
  return { journal: { ...real, reads: { ...real.reads, session } }, open: gate.resolve };
}

test("[L2c] of the watches that wait only the newest of each session is told", async () => {
  await using store = sqliteStore();
  const real = await store.connect();
  await withSessions(real, ["s1", "s2"]);
  const { journal, open } = gated(real);
  await using server = await serveFeed(journal);
  await using client = await connectFeed(server);
  client.watch("s1");
  for (let n = 0; n < 50; n += 1) for (const id of ["s1", "s2"]) client.watch(id, n % 3);
  const [one, two] = [client.watch("s1", 1), client.watch("s2", 2)];
  client.send({ type: "ping" });
  await client.until(() => client.frames("heartbeat").length === 2, "the server to have read it");
  open();
  for (const id of ["s1", "s2"]) await client.caughtUp(id);
  assert.deepEqual(
    client.frames("watching").map(({ mark }) => mark),
    [one, two],
  );
  assert.deepEqual(
    [seqsOf(client, "s1"), seqsOf(client, "s2")],
    [
      [2, 3, 4],
      [3, 4],
    ],
  );
});

test("[L2d, B4] who asks and asks while a past is being told is let go", async () => {
  await using store = sqliteStore();
  const real = await store.connect();
  await withSessions(real, ["s1"]);
  const { journal, open } = gated(real);
  await using server = await serveFeed(journal);
  await using client = await connectFeed(server);
  await using patient = await connectFeed(server);
  const closed = once(client.ws, "close");
  for (let n = 0; n < 300; n += 1) client.watch("s1");
  const [code] = (await closed) as [number];
  assert.equal(code, 1008);
  open();
  await until(() => server.open.size === 1, "it to be gone");
  for (let round = 0; round < 3; round += 1) {
    let mark = 0;
    for (let n = 0; n < 100; n += 1) mark = patient.watch("s1", 4);
    const emitted = () => patient.frames("watching").at(-1)?.mark === mark;
    await patient.until(emitted, "as many, with pauses, are no flood");
  }
  assert.deepEqual(server.errors, []);
});
