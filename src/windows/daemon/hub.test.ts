// One hub for all clients of the daemon window: nothing is missed and nothing told twice, whatever it
// lets go of, however wake-ups get lost, whoever comes and goes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { assertRising, wholeSession } from "../../../test/support/daemon/place.ts";
import * as d from "../../../test/support/drafts.ts";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../test/support/until.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import type { Journal, Wake } from "../../kernel/journal/journal.ts";
import type { DaemonEnvelope } from "./wire/events.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import { tails } from "../../kernel/server/feed/tail.ts";
import { daemonHub } from "./hub.ts";

const TEXT_FRAME = 0x81;

/** Frames in chunks as they are written to sockets. */
function framesIn(chunk: Buffer): DaemonEnvelope[] {
  const found: DaemonEnvelope[] = [];
  for (let at = 0; at < chunk.byteLength;) {
    assert.equal(chunk[at], TEXT_FRAME);
    const short = chunk[at + 1] ?? 0;
    const [length, head] =
      short < 126
        ? [short, 2]
        : short === 126
          ? [chunk.readUInt16BE(at + 2), 4]
          : [Number(chunk.readBigUInt64BE(at + 2)), 10];
    found.push(JSON.parse(chunk.toString("utf8", at + head, at + head + length)));
    at += head + length;
  }
  return found;
}

function hubOver(journal: Journal, idleMs?: number) {
  const errors: unknown[] = [];
  const logError = (error: unknown) => void errors.push(error);
  const following = tails(journal, logError);
  const streams = { tails: following, heartbeatMs: 60_000, epoch: "e", open: new Set<never>() };
  const hub = daemonHub({ journal, streams, logError }, idleMs);
  const join = () => {
    const frames: DaemonEnvelope[] = [];
    const gone = new AbortController();
    const ready = hub.join({ write: (chunk) => void frames.push(...framesIn(chunk)) }, gone.signal);
    return { frames, ready, leave: () => gone.abort() };
  };
  return { hub, errors, following, join, [Symbol.dispose]: () => following.stop() };
}

const after = (frames: readonly DaemonEnvelope[], eventId: number) =>
  frames.filter((frame) => frame.eventId > eventId);

test("[W1] nothing is missed between joining and the first wake-up", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  using place = hubOver(journal);
  const head = (await journal.reads.session("s1"))?.seq ?? 0;
  const member = place.join();
  const writing = s.write(journal, claim, d.token("m", "at once"));
  await member.ready;
  await writing;
  await s.start(journal, { session_id: "s2" });
  await until(() => member.frames.length === 2, "both");
  assert.deepEqual(member.frames, [
    ...after(await wholeSession(journal), head),
    ...(await wholeSession(journal, "s2")),
  ]);
  member.leave();
});

test("[W1] what is committed while the hub begins is told, also to who came first", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  const sessionHeads: Journal["reads"]["sessionHeads"] = async () => {
    const heads = await journal.reads.sessionHeads();
    await s.write(journal, claim, d.token("m", "meanwhile"));
    await s.start(journal, { session_id: "s2" });
    return heads;
  };
  using place = hubOver({ ...journal, reads: { ...journal.reads, sessionHeads } });
  const member = place.join();
  await member.ready;
  await until(() => member.frames.length === 2, "both");
  assert.deepEqual(member.frames.map(({ sessionId }) => sessionId).toSorted(), ["s1", "s2"]);
  member.leave();
});

test("[W1, W3] a session that was quiet is let go, and goes on where it was", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  using place = hubOver(journal, 15);
  const member = place.join();
  await member.ready;
  for (let round = 0; round < 6; round += 1) {
    await s.write(journal, claim, ...(round === 0 ? [d.started()] : []), d.token("m", `${round}`));
    const emitted = (await wholeSession(journal)).length - 1; // its beginning was before us
    await until(() => member.frames.length === emitted, `round ${round}`);
    // What has no frame must not be mistaken for something new, nor hold anything up.
    if (round % 2 === 1) await s.write(journal, claim, d.said(`m${round}`, "…"));
    await until(() => place.hub.size === 0, "to be let go");
  }
  assert.deepEqual(member.frames, (await wholeSession(journal)).slice(1));
  assertRising(member.frames);
  member.leave();
});

test("[J11c, W1] wake-ups that get lost cost nothing but time", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const listeners = new Set<(wake: Wake | "all") => void>();
  const watch: Journal["watch"] = (listener) => {
    listeners.add(listener); // and nothing is ever heard
    return () => void listeners.delete(listener);
  };
  using place = hubOver({ ...journal, watch }, 15);
  const member = place.join();
  await member.ready;
  for (let round = 0; round < 5; round += 1) {
    await s.write(journal, claim, ...(round === 0 ? [d.started()] : []), d.token("m", `${round}`));
    if (round === 3) await s.start(journal, { session_id: "s2" });
    if (round % 2 === 0) continue;
    for (const listener of listeners) listener("all");
    for (const listener of listeners) listener("all"); // one look for both
    const emitted = (await wholeSession(journal)).length - 1;
    await until(() => member.frames.filter((f) => f.sessionId === "s1").length === emitted, "them");
  }
  await until(() => member.frames.some(({ sessionId }) => sessionId === "s2"), "the new session");
  assertRising(member.frames);
  // Whatever has been looked at is not looked at again, also when its last event had no frame.
  await s.write(journal, claim, d.said("m", "…"));
  for (const listener of listeners) listener("all");
  await until(() => place.hub.size === 1, "a look");
  await until(() => place.hub.size === 0, "to be let go");
  for (const listener of listeners) listener("all");
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  assert.equal(place.hub.size, 0);
  member.leave();
  assert.equal(listeners.size, 1); // the tails'; nobody watches for nobody
});

test("[W1] who comes when nobody was there begins at what is then; who joins others gets what they get", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  using place = hubOver(journal);
  const first = place.join();
  await first.ready;
  await s.write(journal, claim, d.started(), d.token("m", "one"));
  await until(() => first.frames.length === 2, "the first");
  first.leave();
  assert.equal(place.hub.size, 0);
  await s.write(journal, claim, d.token("m", "nobody hears"));
  const [second, third] = [place.join(), place.join()];
  await Promise.all([second.ready, third.ready]);
  await s.write(journal, claim, d.token("m", "two"));
  await until(() => third.frames.length > 0, "the third");
  assert.equal(first.frames.length, 2);
  assert.deepEqual(second.frames, (await wholeSession(journal)).slice(-1));
  assert.deepEqual(third.frames, second.frames);
  second.leave();
  await s.write(journal, claim, d.token("m", "three"));
  await until(() => third.frames.length === 2, "the third alone");
  assert.equal(second.frames.length, 1);
  third.leave();
});

test("a session that was deleted before anybody listened is not told, until it is taken back", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  await journal.commands.updateSession("s1", { deleted: true });
  using place = hubOver(journal);
  const member = place.join();
  await member.ready;
  await s.write(journal, claim, d.token("m", "unheard"));
  await s.start(journal, { session_id: "s2" });
  await until(() => member.frames.length > 0, "the other session");
  assert.deepEqual([...new Set(member.frames.map(({ sessionId }) => sessionId))], ["s2"]);
  await journal.commands.updateSession("s1", { deleted: false });
  const whole = await wholeSession(journal);
  await until(
    () => member.frames.filter((f) => f.sessionId === "s1").length === whole.length,
    "s1",
  );
  assert.deepEqual(
    member.frames.filter((f) => f.sessionId === "s1"),
    whole,
  );
  // One that is deleted while somebody listens says so.
  await journal.commands.updateSession("s2", { deleted: true });
  await until(() => member.frames.at(-1)?.event.method === "stream.session_ended", "its end");
  member.leave();
});

test("[D7] a session that cannot be read keeps nobody from the others, and is tried again", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  let problem: Error | undefined = new Error("disk on fire");
  const readSession: Journal["readSession"] = async (...args) => {
    if (problem && args[0] === "s1") throw problem;
    return journal.readSession(...args);
  };
  const listeners = new Set<(wake: Wake | "all") => void>();
  const watch: Journal["watch"] = (listener) => {
    listeners.add(listener);
    return journal.watch(listener);
  };
  using place = hubOver({ ...journal, readSession, watch });
  const member = place.join();
  await member.ready;
  await s.write(journal, claim, d.token("m", "a"));
  await until(() => place.errors.length > 0, "the error");
  problem = undefined;
  for (const listener of listeners) listener("all"); // nothing new, and yet
  await until(() => member.frames.length === 1, "what could not be read before");
  problem = new ApiError("run_quarantined", "damaged"); // while it is followed
  await s.write(journal, claim, d.token("m", "b"));
  await until(() => place.hub.size === 0, "to be let go");
  await s.start(journal, { session_id: "s2" });
  await until(() => member.frames.some(({ sessionId }) => sessionId === "s2"), "the other session");
  problem = undefined;
  await s.write(journal, claim, d.token("m", "c"));
  await until(() => member.frames.filter((f) => f.sessionId === "s1").length === 3, "all of it");
  assertRising(member.frames);
  problem = new Error("again"); // now while it is followed
  const known = place.errors.length;
  await s.write(journal, claim, d.token("m", "d"));
  await until(() => place.errors.length > known, "the error");
  problem = undefined;
  await s.write(journal, claim, d.token("m", "e"));
  await until(() => member.frames.filter((f) => f.sessionId === "s1").length === 5, "the rest");
  member.leave();
});

test("a hub that cannot begin says so, and the next client tries again", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  let broken = true;
  const sessionHeads: Journal["reads"]["sessionHeads"] = async () => {
    if (broken) throw new Error("no heads");
    return journal.reads.sessionHeads();
  };
  using place = hubOver({ ...journal, reads: { ...journal.reads, sessionHeads } });
  await assert.rejects(place.join().ready, /no heads/);
  broken = false;
  const member = place.join();
  await member.ready;
  await s.write(journal, claim, d.started());
  await until(() => member.frames.length === 1, "the turn");
});
