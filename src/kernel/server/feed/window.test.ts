// A window on a dialect that depends on everything before: whoever joins, whenever and from wherever,
// is told the same.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../journal/contract/store.contract.ts";
import type { Journal } from "../../journal/journal.ts";
import { v1RunsDialect } from "../../../windows/v1/wire/runs.ts";
import type { Dialect } from "../../dialect/dialect.ts";
import type { EventTable } from "../../events/event-table.ts";
import { collect } from "./long-poll.ts";
import { tails, type Source, type Subscriber, type Tails } from "./tail.ts";
import { findRun, windowSource } from "./window.ts";

type Counted = { readonly n: number; readonly type: string; readonly replay: boolean };
const count = (
  { type }: { type: string },
  state: { n: number },
  { replay }: { replay: boolean },
) => {
  state.n += 1;
  return [{ n: state.n, type, replay }];
};
/** Numbers events by itself: a wrong state shows at once. */
const counting: Dialect<{ n: number }, Counted> = {
  of: "session",
  frames: "any",
  name: "counting",
  begin: () => ({ n: 0 }),
  table: new Proxy({} as EventTable<[{ n: number }, { replay: boolean }], Counted[]>, {
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: count }),
    get: () => count,
  }),
  unknown: count,
  kind: ({ type }) => type,
};

const countingSource = (journal: Journal, sessionId = "s1"): Source =>
  windowSource(journal, {
    dialect: counting,
    sessionId,
    text: (frame, { session_seq }) => `${session_seq} ${frame.n}${frame.replay ? " replay" : ""}\n`,
  });

function reader() {
  let closed = false;
  let text = "";
  const subscriber: Subscriber = {
    write(chunk) {
      text += chunk.toString();
      return true;
    },
    drained: async () => undefined,
    end: () => (closed = true),
    get closed() {
      return closed;
    },
  };
  return { subscriber, lines: () => text.split("\n").filter(Boolean), isClosed: () => closed };
}

const numbers = (lines: string[]) => lines.map((line) => line.replace(" replay", ""));
/** A read that has begun may end before its journal is closed. */
async function stopped(shared: Tails): Promise<void> {
  shared.stop();
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
const failed = (error: unknown) => assert.fail(String(error));

test("[W1, H5] whoever joins, whenever and from wherever, is told the same", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(30), { minLength: 1, maxLength: 12 }), async (cursors) => {
      await using store = sqliteStore();
      const { journal, claim } = await s.withRun(store);
      const shared = tails(journal, failed);
      const joined: { after: number; lines: () => string[] }[] = [];
      const joining: Promise<void>[] = [];
      let written = 0;
      for (const cursor of cursors) {
        const head = (await journal.reads.session("s1"))?.seq ?? 0;
        const after = Math.min(cursor, head);
        const { subscriber, lines } = reader();
        joined.push({ after, lines });
        // Not waited for: the next events are written while it catches up.
        joining.push(shared.subscribe(countingSource(journal), after, subscriber));
        for (let more = cursor % 4; more > 0; more -= 1) {
          written += 1;
          await s.write(journal, claim, d.token(`m${written}.1`, "x"));
        }
      }
      await Promise.all(joining);
      const head = (await journal.reads.session("s1"))?.seq ?? 0;
      await until(() => joined.every(({ lines, after }) => lines().length === head - after));
      for (const { after, lines } of joined) {
        const expected = Array.from({ length: head - after }, (_, at) => after + 1 + at);
        assert.deepEqual(
          numbers(lines()),
          expected.map((n) => `${n} ${n}`),
        );
      }
      assert.equal(shared.size, 1);
      await stopped(shared);
    }),
    { numRuns: 25 },
  );
});

test("[W1] what was there is told as replay, what comes later is not", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const shared = tails(journal, failed);
  const { subscriber, lines } = reader();
  await shared.subscribe(countingSource(journal), 0, subscriber);
  const past = lines().length;
  await s.write(journal, claim, d.token("m1.1", "x"));
  await until(() => lines().length === past + 1);
  assert.ok(
    lines()
      .slice(0, past)
      .every((line) => line.endsWith("replay")),
  );
  assert.ok(!lines().at(-1)?.endsWith("replay"));
  await stopped(shared);
});

test("[W1] a window may be open before its session exists", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const shared = tails(journal, failed);
  const { subscriber, lines } = reader();
  await shared.subscribe(countingSource(journal, "later"), 0, subscriber);
  await s.start(journal, { session_id: "later" });
  await until(() => lines().length > 2);
  assert.equal(lines()[0], "1 1");
  await stopped(shared);
});

async function runWindow(journal: Journal, runId: string): Promise<Source> {
  const found = await findRun(journal, runId);
  assert.ok(found);
  return windowSource(journal, {
    dialect: v1RunsDialect,
    sessionId: found.sessionId,
    run: { runId, begin: found.begin },
    text: ({ event, run_id, subagent_run_id }) =>
      `${event} ${run_id === runId} ${typeof subagent_run_id === "string" ? subagent_run_id : ""}\n`,
  });
}

async function allOf(shared: Tails, source: Source): Promise<string[]> {
  const { subscriber, lines, isClosed } = reader();
  await shared.subscribe(source, 0, subscriber);
  await until(isClosed);
  return lines();
}

test("[W1, W4] a run's window has its subagents' requests, and ends where the run ends", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  const childId = `${runId}.c1`;
  const ids = { subagent_id: childId, child_run_id: childId, call_id: "c1" };
  const shared = tails(journal, failed);
  const live = reader();
  await shared.subscribe(await runWindow(journal, runId), 0, live.subscriber);
  await s.write(journal, claim, d.started(), d.intent("c1"), d.toolStarted("c1"), {
    type: "subagent.started",
    payload: { ...ids, title: "Look", prompt: "look around", depth: 1 },
  });
  await journal.startChild({ runId: childId, parent: claim, message: "look around" });
  const child = await s.claimed(journal, { childrenOnly: true });
  await s.write(journal, child, d.started(), d.token("m1.1", "inner"), d.intent("c1"));
  await s.write(journal, child, d.approvalAsked("c1"));
  await s.start(journal); // queued behind it: not this run's affair
  await s.write(journal, child, d.done(7));
  await s.write(journal, claim, d.token("m1.1", "outer"), d.done(8));
  await until(live.isClosed);

  const emitted = [
    "run.started true ",
    "tool.started true ",
    "subagent.start true ",
    `approval.request true ${childId}`,
    "message.delta true ",
    "run.completed true ",
  ];
  assert.deepEqual(live.lines(), emitted);
  // The next run has begun meanwhile, and stands on the same page of the log.
  const next = await s.claimed(journal);
  await s.write(journal, next, d.started(), d.token("m1.1", "next"));
  assert.deepEqual(await allOf(shared, await runWindow(journal, runId)), emitted);
  await stopped(shared);
});

test("[W1] who polls gets what there is, or the first that comes, or nothing in time", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const shared = tails(journal, failed);
  const never = new AbortController().signal;
  const poll = async (after: number, waitMs: number, gone = never) =>
    Buffer.concat(await collect(shared, countingSource(journal), { after, waitMs, gone }))
      .toString()
      .split("\n")
      .filter(Boolean);
  const head = (await journal.reads.session("s1"))?.seq ?? 0;
  assert.equal((await poll(0, 60_000)).length, head);
  assert.deepEqual(await poll(head, 5), []);
  const waiting = poll(head, 60_000);
  await s.write(journal, claim, d.token("m1.1", "x"));
  assert.deepEqual(await waiting, [`${head + 1} ${head + 1}`]);
  assert.deepEqual(await poll(head + 1, 60_000, AbortSignal.abort()), []);
  await s.write(journal, claim, d.token("m1.2", "x")); // lets the tail see that nobody is left
  await until(() => shared.size === 0);
  await stopped(shared);
});

test("[V1] a cursor beyond the head silences nobody else", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  const shared = tails(journal, failed);
  const [far, near] = [reader(), reader()];
  await shared.subscribe(countingSource(journal), 999_999, far.subscriber);
  await shared.subscribe(countingSource(journal), 0, near.subscriber);
  const before = near.lines().length;
  await s.write(journal, claim, d.token("m1.1", "x"));
  await until(() => near.lines().length === before + 1);
  await stopped(shared);
});

test("[V1] what is live is read and framed by the same subscriber's source", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  for (let at = 0; at < 30; at += 1) await s.write(journal, claim, d.token(`m${at}.2`, "x"));
  const shared = tails(journal, failed);
  // Each source knows what it has read itself: framing by another one's reads tells too little.
  const knowing = (): Source => {
    const source = countingSource(journal);
    const read = new Set<number>();
    return {
      ...source,
      async read(after, limit) {
        const page = await source.read(after, limit);
        for (const [, seq] of page?.rows ?? []) read.add(seq);
        return page;
      },
      enter: (after) => ({
        ...source.enter(after),
        framing: ([, seq]) => [`${seq} ${read.has(seq)}\n`],
      }),
    };
  };
  const slow = reader();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  slow.subscriber.drained = () => held;
  const joining = shared.subscribe(knowing(), 0, { ...slow.subscriber, drained: () => held });
  const quick = reader();
  await shared.subscribe(knowing(), 0, quick.subscriber);
  await s.write(journal, claim, d.token("m1.1", "x"));
  const head = (await journal.reads.session("s1"))?.seq ?? 0;
  await until(() => quick.lines().length === head);
  assert.deepEqual(
    quick.lines(),
    Array.from({ length: head }, (_, at) => `${at + 1} true`),
  );
  release();
  await joining;
  await stopped(shared);
});

test("[V5, H5] windows that come back together fold the past once", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  for (let at = 0; at < 60; at += 1) await s.write(journal, claim, d.token(`m${at}.1`, "x"));
  const shared = tails(journal, failed);
  let rows = 0;
  const counted = (): Source => {
    const source = countingSource(journal);
    const read: Source["read"] = async (after, limit) => {
      const page = await source.read(after, limit);
      rows += page?.rows.length ?? 0;
      return page;
    };
    return { ...source, read };
  };
  const head = (await journal.reads.session("s1"))?.seq ?? 0;
  // Some have missed a few; one leaves in the middle of it.
  const readers = Array.from({ length: 40 }, (_, at) => ({ ...reader(), after: head - (at % 3) }));
  const joining = readers.map(({ after, subscriber }) =>
    shared.subscribe(counted(), after, subscriber),
  );
  readers[0]?.subscriber.end();
  await Promise.all(joining);
  await s.write(journal, claim, d.token("m99.1", "y"));
  const open = readers.slice(1);
  await until(() => open.every(({ after, lines }) => lines().length === head + 1 - after));
  for (const { after, lines } of open) {
    const expected = Array.from({ length: head + 1 - after }, (_, at) => after + 1 + at);
    assert.deepEqual(
      numbers(lines()),
      expected.map((n) => `${n} ${n}`),
    );
  }
  assert.ok(rows < head * 5, `${rows} rows were read for ${readers.length} readers of ${head}`);
  await stopped(shared);
});

test("[H2a] the window on a run that has ended is closed, wherever its reader stood", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.token("m1.1", "x"), d.done(5));
  const head = (await journal.reads.session("s1"))?.seq ?? 0;
  const shared = tails(journal, failed);
  for (let after = 0; after <= head; after += 1) {
    const { subscriber, isClosed } = reader();
    await shared.subscribe(await runWindow(journal, runId), after, subscriber);
    assert.ok(isClosed(), `after ${after} of ${head}`);
  }
  await stopped(shared);
});
