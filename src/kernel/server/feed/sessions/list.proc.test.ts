// The list every tab shows: all of it at first, then what changed, whoever changed it, at a bounded cost.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as d from "../../../../../test/support/drafts.ts";
import {
  connectFeed,
  serveFeed,
  type FeedClient,
} from "../../../../../test/support/windows/feed-place.ts";
import { stopPeers } from "../../../../../test/support/peer.ts";
import { sqliteStore } from "../../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../../test/support/until.ts";
import * as s from "../../../journal/contract/store.contract.ts";
import type { Journal } from "../../../journal/journal.ts";
import type { FeedBoard } from "../../../api/records/feed.ts";
import { SYSTEM_LOG } from "../../../events/system-events.ts";
import { listedSessions } from "./list-changes.ts";
import { openSessionList } from "./list.ts";

after(stopPeers);

const changesIn = (client: FeedClient) => client.frames("board").filter(({ whole }) => !whole);
const newest = (client: FeedClient, sessionId: string) =>
  client
    .frames("board")
    .flatMap(({ sessions }) => sessions)
    .findLast(({ session_id }) => session_id === sessionId);

test("[L6] a tab is told all sessions and requests at first, then what changes, from any process", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await using server = await serveFeed(journal);
  await using plain = await connectFeed(server);
  await using client = await connectFeed(server, "?board=1");
  await client.until(() => client.frames("board").length === 1, "all of it");
  const [whole] = client.frames("board");
  assert.deepEqual(whole?.sessions, await journal.reads.sessions({ limit: 200, offset: 0 }));
  assert.deepEqual(whole.pending, { s1: await journal.reads.pending({ sessionId: "s1" }) });

  const peer = await store.connect();
  await s.start(peer, { session_id: "s2", message: "from elsewhere" });
  await client.until(() => newest(client, "s2") !== undefined, "another process's session");
  await peer.commands.updateTitle("s2", { title: "Renamed" });
  await client.until(() => newest(client, "s2")?.title === "Renamed", "its title");
  await s.write(journal, claim, d.approvalGiven("c1", "once"));
  await client.until(
    () => changesIn(client).some(({ pending }) => pending["s1"]?.length === 0),
    "the answer",
  );
  await peer.commands.updateSession("s2", { deleted: true });
  await client.until(
    () => changesIn(client).some(({ gone }) => gone.includes("s2")),
    "the deletion",
  );
  assert.deepEqual(newest(client, "s1"), await journal.reads.session("s1"));
  assert.equal(plain.frames("board").length, 0, "who did not ask is not told");
  assert.deepEqual(server.errors, []);
});

test("[U4] a tab hears that something changed that belongs to no session, from any process", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.start(journal);
  const { join } = counted(journal);
  const { frames, leave } = await join();
  assert.equal(frames[0]?.house, 0);
  await (
    await store.connect()
  ).systemLog.note([{ type: "token.rotated", payload: { by: "shell" } }]);
  await until(() => frames.some(({ house }) => house === 2), "the hint");
  assert.ok(
    frames.every(({ sessions, gone }) => !JSON.stringify([sessions, gone]).includes(SYSTEM_LOG)),
  );
  leave();
});

/** A journal that counts what is read of it, and a board over it with members of its own. */
function counted(journal: Journal, timing = { gatherMs: 20, quietMs: 200 }) {
  const reads: string[] = [];
  const session: Journal["reads"]["session"] = async (id) => {
    if (id !== SYSTEM_LOG) reads.push(id); // one row, whatever the number of sessions
    return journal.reads.session(id);
  };
  const summaries: string[] = [];
  const sessionSummary: Journal["reads"]["sessionSummary"] = async (id) => {
    summaries.push(id);
    return journal.reads.sessionSummary(id);
  };
  const board = openSessionList(
    { ...journal, reads: { ...journal.reads, session, sessionSummary } },
    (error) => assert.fail(String(error)),
    timing,
  );
  const join = async () => {
    const frames: FeedBoard[] = [];
    const gone = new AbortController();
    const write = (chunk: Buffer) => {
      frames.push(JSON.parse(chunk.toString("utf8", chunk.indexOf("{"))) as FeedBoard);
      return true;
    };
    await board.join({ write }, gone.signal);
    return { frames, leave: () => gone.abort() };
  };
  return { board, reads, summaries, join };
}

test("[L6c] the work grows with neither tabs nor sessions: only what moved is read, once for all", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  for (let n = 0; n < 60; n += 1) await s.start(journal, { session_id: `s${n}` });
  const { reads, join } = counted(journal);
  const tabs = await Promise.all(Array.from({ length: 8 }, join));
  assert.equal(reads.length, 0);
  await journal.commands.updateTitle("s7", { title: "Seven" });
  await journal.commands.updateTitle("s7", { title: "Seven more" });
  for (const { frames } of tabs) await until(() => frames.length === 2, "one change each");
  assert.deepEqual(reads, ["s7"]);
  for (const { frames } of tabs) {
    assert.deepEqual(
      frames[1]?.sessions.map(({ title }) => title),
      ["Seven more"],
    );
  }
  for (const { leave } of tabs) leave();
  await journal.commands.updateTitle("s7", { title: "Nobody looks" });
  assert.deepEqual(reads, ["s7"]);
});

test("[L6d] words that stream are told now and then; a change that shows is told at once", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  const { join } = counted(journal);
  const { frames, leave } = await join();
  await s.write(journal, claim, d.token("m", "first "));
  await until(() => frames.length === 2, "the first word: nothing was known of the session");
  const began = performance.now();
  let words = 0;
  while (frames.length < 2 + 4) {
    await s.write(journal, claim, d.token("m", `${words} `));
    words += 1;
    await until(() => true);
  }
  const coalescedMs = (performance.now() - began) / 4; // a busy machine gathers longer, and none for less
  assert.ok(coalescedMs > 100, `told after ${coalescedMs} ms, ${words} words in all`);
  await s.write(journal, claim, d.intent("c1"), d.approvalAsked("c1"));
  await until(() => frames.at(-1)?.pending["s1"]?.length === 1, "the request");
  await s.write(journal, claim, d.token("m", "last"));
  const head = (await journal.reads.session("s1"))?.seq;
  await until(() => frames.at(-1)?.sessions[0]?.seq === head, "the last word, by itself");
  leave();
});

test("[L6] a deleted session does not come back by what its runs still say", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  const { join, summaries } = counted(journal);
  const { frames, leave } = await join();
  await journal.commands.updateSession("s1", { deleted: true });
  await until(() => frames.at(-1)?.gone.includes("s1"), "the deletion");
  const before = frames.length;
  await s.write(journal, claim, d.token("m", "still busy"));
  await until(() => summaries.length >= 2, "it to be looked at");
  await journal.commands.updateSession("s1", { deleted: false });
  await until(() => frames.length > before, "its return");
  assert.deepEqual(
    frames
      .slice(before)
      .map(({ gone, sessions }) => [gone, sessions.map(({ session_id }) => session_id)]),
    [[[], ["s1"]]],
  );
  leave();
});

test("[L6, J11] wake-ups that say nothing of a session, or come while a tab is told all of it, lose nothing", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const { promise, resolve } = Promise.withResolvers<void>();
  const sessions: Journal["reads"]["sessions"] = async (page) => {
    const found = await journal.reads.sessions(page);
    if (page.limit === 200) await promise; // the whole list takes its time
    return found;
  };
  const watch: Journal["watch"] = (listener) => journal.watch(() => listener("all"));
  let pendings = 0;
  const pending: Journal["reads"]["pending"] = async (filter) => {
    pendings += 1;
    return journal.reads.pending(filter);
  };
  const { join } = counted({ ...journal, watch, reads: { ...journal.reads, sessions, pending } });
  const joining = join();
  await s.write(journal, claim, d.started(), d.intent("c1"), d.approvalAsked("c1"));
  await until(() => pendings > 0, "the change to be told before the list");
  resolve();
  const { frames, leave } = await joining;
  await until(() => frames.length === 2, "both");
  assert.deepEqual(
    frames.map(({ whole, sessions: emitted }) => [whole, emitted[0]?.active_status]),
    [
      [true, "queued"],
      [false, "running"],
    ],
  );
  leave();
});

test("[L6, U4] the system log is no session, also when a wake-up without a log arrives with its own", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  await s.start(journal);
  const watch: Journal["watch"] = (listener) =>
    journal.watch((wake) => {
      listener(wake);
      listener("all"); // as the poll says that comes for what another process wrote
    });
  const { join } = counted({ ...journal, watch });
  const { frames, leave } = await join();
  await journal.systemLog.note([{ type: "token.rotated", payload: { by: "shell" } }]);
  await journal.commands.updateTitle("s1", { title: "Renamed" });
  await until(() => frames.some(({ house }) => house === 2), "the hint");
  await until(() => frames.some(({ sessions }) => sessions[0]?.title === "Renamed"), "the title");
  assert.ok(
    frames.every(({ sessions, gone }) => !JSON.stringify([sessions, gone]).includes(SYSTEM_LOG)),
  );
  leave();
});

test("[L6, V1] what could not be read is told once it can be, and so is what was read before it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  for (const session_id of ["s1", "s2", "s3"]) await s.start(journal, { session_id });
  let away = true;
  const session: Journal["reads"]["session"] = async (id) => {
    if (id === "s2" && away) throw new Error("the database is away");
    return journal.reads.session(id);
  };
  const emitted = listedSessions({ ...journal, reads: { ...journal.reads, session } }, 0);
  for (const sessionId of ["s1", "s2"]) emitted.note(wakeOf(sessionId));
  await assert.rejects(emitted.changes(), /away/);
  away = false;
  emitted.note(wakeOf("s3"));
  const frame = await emitted.changes();
  assert.deepEqual(frame?.sessions.map(({ session_id }) => session_id).toSorted(), [
    "s1",
    "s2",
    "s3",
  ]);
});

const wakeOf = (sessionId: string) => ({
  logId: sessionId,
  sessionId,
  seq: 1,
  sessionSeq: 1,
  work: false,
});
