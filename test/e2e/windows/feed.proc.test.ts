// The feed of the real program: several sessions on one connection, through kills, tampering, and readers
// that do not read.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { feedSocket } from "../../../src/kernel/client/feed-socket.ts";
import { openFeed } from "../../../src/kernel/client/feed.ts";
import { historyOver, type ReadHistory } from "../../../src/kernel/client/history.ts";
import { openSession } from "../../../src/kernel/client/sessions/store.ts";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { foldHash } from "../../../src/kernel/state/fold-hash.ts";
import { emptyFolded, foldEvents } from "../../../src/kernel/state/folded.ts";
import { until as changed } from "../../browser/support/stream-server.ts";
import { connectFeed, isEvent, type FeedClient } from "../../support/windows/feed-place.ts";
import { startFeedProxy } from "../../support/windows/feed-proxy.ts";
import { followSession } from "../../support/follow-session.ts";
import { startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ heartbeat_ms: 300 });
const program = await openPair(place, { apart: ["serve"] });
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

const isDone = ({ type }: RunEvent) => type === "done";
const journalled = async (of: Server, id: string) =>
  (await followSession(of, id, { until: isDone })).events;

/** The server may be away: then it is asked again. */
const reconnected = (query?: string) =>
  until(() => connectFeed(program, query).catch(() => undefined), "the server");

/** Every state that was told fits the events that were told before it. */
function checkStates(lines: FeedClient["lines"], have: Map<string, RunEvent[]>): number {
  let count = 0;
  for (const line of lines) {
    if (isEvent(line)) have.set(line.session_id, [...(have.get(line.session_id) ?? []), line]);
    else if (line.feed === "state") {
      const events = have.get(line.session_id) ?? [];
      assert.equal(line.session_seq, events.length);
      assert.equal(line.hash, foldHash(foldEvents(emptyFolded(line.session_id), events)));
      count += 1;
    }
  }
  return count;
}

test("[L1, L4, V5] three sessions on one connection, the server killed twice: no hole, no repeat", async () => {
  const ids = ["feed-a", "feed-b", "feed-c"];
  for (const session_id of ids) {
    await startRun(program, "pace 15\ncount 150\nsay the end", { session_id });
  }
  const have = new Map<string, RunEvent[]>();
  let states = 0;
  for (let kills = 0; ; kills += 1) {
    const client = await reconnected();
    const closed = once(client.ws, "close");
    for (const id of ids) client.watch(id, have.get(id)?.length ?? 0);
    const enough = ids.length * 25 * (kills + 1);
    const emitted = () => client.lines.filter(isEvent).length;
    const ended = () =>
      [...have.values()].flat().concat(client.lines.filter(isEvent)).filter(isDone);
    if (kills < 2) {
      await client.until(() => emitted() >= enough, "words");
      await program.kill("serve");
      await closed;
    } else await client.until(() => ended().length === 3, "all ends");
    states += checkStates(client.lines, have);
    await client.close();
    if (kills === 2) break;
  }
  for (const id of ids) assert.deepEqual(have.get(id), await journalled(program, id));
  assert.ok(states >= 3, `${states} states were compared`);
});

test("[L6] what happens in any process is in the session list of every tab, while a run is active elsewhere", async () => {
  await using first = await connectFeed(program, "?board=1");
  await using second = await connectFeed(program, "?board=1");
  const shows = (client: FeedClient, id: string, status: string | null) =>
    client.until(() => {
      const records = client.frames("board").flatMap(({ sessions }) => sessions);
      return records.findLast(({ session_id }) => session_id === id)?.active_status === status;
    }, `${id} to be ${status}`);
  await startRun(program, "exec echo asked", { session_id: "feed-asking" });
  for (const tab of [first, second]) await shows(tab, "feed-asking", "awaiting_approval");
  const requests = first.frames("board").findLast(({ pending }) => pending["feed-asking"]?.length);
  const [request] = requests?.pending["feed-asking"] ?? [];
  assert.ok(request, "what it asks is told with it");
  const answer = ["--home", place.home, "--json"];
  await quarterdeck(["status", ...answer]); // another process reads; nothing of that is on the board
  const { url, token } = program;
  await fetch(`${url}/api/runs/${request.run_id}/approvals/${request.request_id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ choice: "deny" }),
  });
  for (const tab of [first, second]) {
    await shows(tab, "feed-asking", null);
    const last = tab.frames("board").findLast(({ pending }) => "feed-asking" in pending);
    assert.deepEqual(last?.pending["feed-asking"], []);
  }
});

test("[L3, A3] a session nobody knows is refused alone; a rotated token closes the feed", async () => {
  using own = newTestHome();
  await using other = await openPair(own);
  await using client = await connectFeed(other);
  const { session_id } = await startRun(other, "say hello");
  client.watch("nobody");
  client.watch(session_id);
  await client.until(() => client.events(session_id).some(isDone), "the other one");
  assert.equal(client.frames("refused", "nobody")[0]?.code, "session_not_found");
  const closed = once(client.ws, "close");
  await quarterdeck(["token", "--rotate", "--home", own.home]);
  await closed;
  const late = connectFeed(other);
  await assert.rejects(late, "the old token opens nothing");
});

test("[L5] a tampered event is found by comparing, and the session read again", async () => {
  await using proxy = await startFeedProxy(program);
  const session_id = "feed-drift";
  await startRun(program, "say the honest words", { session_id });
  const events = await journalled(program, session_id);
  proxy.tampering.with = (event) =>
    event.type === "message.user"
      ? { ...event, payload: { ...event.payload, text: event.payload.text.toUpperCase() } }
      : event;
  const connect = () => new WebSocket(proxy.url);
  const feed = openFeed({ open: feedSocket({ connect, probe: async () => undefined }) });
  using _closing = { [Symbol.dispose]: feed.close };
  const api = { events: () => assert.fail("no stream of its own") };
  const store = openSession(session_id, { api, follow: feed.follow });
  const shown = () => JSON.stringify(store.getState().runs);
  await changed(store, () => store.getState().caughtUp);
  assert.match(shown(), /HONEST/);
  proxy.tampering.with = (event) => event;
  await changed(store, () => store.getDrift()[0]?.repaired === true);
  assert.doesNotMatch(shown(), /HONEST/);
  const { session, runs } = store.getState();
  assert.deepEqual({ session, runs }, foldEvents(emptyFolded(session_id), events));
});

test("[L8, V5] the server is killed while a history is read: the feed continues from what arrived, once and in order", async () => {
  const session_id = "feed-past";
  await startRun(program, "pace 0\ncount 3000\nsay all of it", { session_id });
  const events = await journalled(program, session_id);
  const headers = { authorization: `Bearer ${program.token}` };
  const read = historyOver((path, signal) => fetch(`${program.url}${path}`, { headers, signal }));
  const counts: number[] = [];
  const past: ReadHistory = async function* killed(id, signal) {
    let killing: Promise<unknown> | undefined;
    for await (const lines of read(id, signal)) {
      yield lines;
      counts.push(lines.length);
      killing ??= program.kill("serve");
      await killing;
    }
  };
  const connect = () =>
    new WebSocket(`${program.url.replace("http", "ws")}/api/feed`, { headers } as never);
  const open = feedSocket({ connect, probe: async () => undefined });
  const feed = openFeed({ open, past, timing: { minMs: 10, maxMs: 100 } });
  using _closing = { [Symbol.dispose]: feed.close };
  const api = { events: () => assert.fail("no stream of its own") };
  const store = openSession(session_id, { api, follow: feed.follow });
  await changed(store, () => store.getState().connection.state === "live");
  await changed(store, () => store.getState().session.seq === events.length);
  const { recording, getDrift } = store;
  assert.deepEqual(recording.between(0, recording.length), events);
  assert.deepEqual(getDrift(), []);
  assert.ok(counts.length > 0, "something came before the kill");
});

test("[L7a, V3] a tab that stops reading is dropped, comes back with its cursors, and misses nothing", async () => {
  const session_id = "feed-stalled";
  await using tab = await connectFeed(program);
  await startRun(program, `say ${"word ".repeat(20)}`, { session_id });
  tab.watch(session_id);
  await tab.caughtUp(session_id);
  tab.ws.pause();
  const closed = once(tab.ws, "close");
  const filler = "x".repeat(60_000);
  for (let n = 0; n < 120; n += 1) await startRun(program, filler, { session_id });
  await until(async () => (await program.status()).runners.length > 0, "the program to be well");
  tab.ws.resume();
  await closed; // the server ended it: nobody here did
  const seen = tab.frames("watching", session_id).at(-1);
  assert.ok(seen);
  const have = new Map(tab.events(session_id).map((event) => [event.session_seq, event]));
  const numbers = [...have.keys()].toSorted((a, b) => a - b);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    "no hole in what came",
  );
  await using again = await connectFeed(program);
  again.watch(session_id, numbers.length);
  await again.caughtUp(session_id);
  assert.equal(again.events(session_id)[0]?.session_seq, numbers.length + 1);
});
