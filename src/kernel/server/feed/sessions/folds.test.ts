// The server's own fold of what is watched: told between two events, made once for everybody, and gone with
// the last who watches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import * as d from "../../../../../test/support/drafts.ts";
import {
  connectFeed,
  isEvent,
  serveFeed,
  type FeedClient,
} from "../../../../../test/support/windows/feed-place.ts";
import { sqliteStore } from "../../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../../test/support/until.ts";
import * as s from "../../../journal/contract/store.contract.ts";
import type { Journal, StoredRow } from "../../../journal/journal.ts";
import type { RunEvent } from "../../../events/events.ts";
import { foldHash, HASH_VERSION } from "../../../state/fold-hash.ts";
import { emptyFolded, foldEvents, toFoldedSnapshot } from "../../../state/folded.ts";
import { REDUCER_VERSION } from "../../../events/version.ts";
import { sessionFolds, type Watcher } from "./folds.ts";

const hashAfter = (events: readonly RunEvent[]) => foldHash(foldEvents(emptyFolded("s1"), events));

/** Every state frame, held to the events that stand before it. */
function checkStates(client: FeedClient): number {
  const before: RunEvent[] = [];
  let count = 0;
  for (const line of client.lines) {
    if (isEvent(line)) before.push(line);
    else if (line.feed === "state") {
      count += 1;
      assert.equal(
        line.session_seq,
        before.at(-1)?.session_seq,
        "after that event, before the next",
      );
      assert.equal(line.hash, hashAfter(before));
      assert.deepEqual([line.reducer, line.hash_version], [REDUCER_VERSION, HASH_VERSION]);
    }
  }
  return count;
}

test("[L4a] a state is told after catching up and at each beat, exactly where it holds", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started(), d.token("m", "a"), d.token("n", "b"));
  await using server = await serveFeed(journal, { heartbeatMs: 25 });
  await using client = await connectFeed(server);
  client.watch("s1");
  await client.until(() => client.frames("state").length === 1, "the first");
  const emitted = client.frames("heartbeat").length;
  await client.until(() => client.frames("heartbeat").length > emitted + 4, "beats");
  assert.equal(client.frames("state").length, 1, "nothing moved: nothing to tell");

  for (let n = 0; n < 600; n += 1) await s.write(journal, claim, d.token(`m${n % 7}`, `${n} `));
  const head = (await journal.reads.session("s1"))?.seq;
  await client.until(() => client.frames("state").at(-1)?.session_seq === head, "the last");
  assert.ok(checkStates(client) >= 3);
  assert.deepEqual(server.errors, []);
});

test("[L4c] one fold serves every tab, reads each event at most once more, and ends with the last tab", async () => {
  await using store = sqliteStore();
  const { journal: real, claim } = await s.withRun(store);
  await s.write(real, claim, d.started());
  for (let n = 0; n < 500; n += 1) await s.write(real, claim, d.token(`m${n % 3}`, `${n} `));
  let rows = 0;
  const readSession: Journal["readSession"] = async (...asked) => {
    const page = await real.readSession(...asked);
    rows += page?.rows.length ?? 0;
    return page;
  };
  const journal = { ...real, readSession };
  await using server = await serveFeed(journal, { heartbeatMs: 25 });
  await using tabs = new AsyncDisposableStack();
  const connect = async () => tabs.use(await connectFeed(server));
  const first = await connect();
  first.watch("s1");
  await first.until(() => first.frames("state").length === 1, "the first tab's state");
  const head = (await real.reads.session("s1"))?.seq ?? 0;
  assert.equal(rows, 2 * head, "once for the tab, once for the fold");

  const others = await Promise.all([1, 2, 3, 4].map(connect));
  for (const other of others) {
    other.watch("s1", head); // they have all of it
    await other.until(() => other.frames("state").length === 1, "their state");
    assert.equal(other.frames("state")[0]?.hash, first.frames("state")[0]?.hash);
  }
  await s.write(real, claim, d.token("m1", "more"));
  for (const tab of [first, ...others]) {
    await tab.until(() => tab.frames("state").at(-1)?.session_seq === head + 1, "the next");
  }
  assert.equal(rows, 2 * head + 1, "what is told is folded without reading it again");

  await tabs.disposeAsync();
  await until(() => server.open.size === 0, "all to be gone");
  await using late = await connectFeed(server);
  late.watch("s1");
  await late.until(() => late.frames("state").length === 1, "a state after all were gone");
  assert.equal(rows, 2 * head + 1 + 2 * (head + 1), "nothing was kept");
});

test("[L4c] a fold is forgotten with its last watcher, and one that cannot go on takes nobody along", async () => {
  const failures: unknown[] = [];
  const events = Array.from({ length: 3 }, (_, index): StoredRow => [1, index + 1, "{}"]);
  const journal = {
    readSession: async () => ({ head: 3, rows: events }),
    saveFold: async () => {},
  };
  const folds = sessionFolds(journal, { everyMs: 5, failed: (error) => failures.push(error) });
  const watcher: Watcher = { position: 3, emit: () => assert.fail("nothing to tell") };
  const leave = folds.join("s1", watcher);
  assert.equal(folds.size, 1);
  await until(() => failures.length === 1, "rows that are no events");
  assert.equal(folds.size, 0);
  folds.tap("s1", [1, 4, "{}"]); // the tail goes on
  leave();
  for (let again = 0; again < 3; again += 1) {
    const go = folds.join("s1", watcher);
    await until(() => folds.size === 0, "it cannot be folded now either");
    go();
  }
  assert.equal(failures.length, 1, "said once");

  const quiet: Watcher = { position: 0, emit: () => undefined };
  const leaves = [folds.join("s2", quiet), folds.join("s2", { ...quiet })];
  assert.equal(folds.size, 1);
  for (const go of leaves) go();
  assert.equal(folds.size, 0);
});

test("[L4, B4] a long past is folded in parts: others get their turn", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  const drafts = Array.from({ length: 4_000 }, (_, index) => d.token(`m${index % 50}`, "word "));
  for (let at = 0; at < drafts.length; at += 1_000) {
    await s.write(journal, claim, ...drafts.slice(at, at + 1_000));
  }
  const head = (await journal.reads.session("s1"))?.seq ?? 0;
  const folds = sessionFolds(journal, {
    everyMs: 60_000,
    failed: (error) => assert.fail(String(error)),
  });
  let turns = 0;
  const turn = () => {
    turns += 1;
    again = setImmediate(turn);
  };
  let again = setImmediate(turn);
  const { promise, resolve } = Promise.withResolvers<{ session_seq: number; hash: string }>();
  const leave = folds.join("s1", { position: head, emit: resolve });
  folds.join("s1", { position: 5, emit: () => assert.fail("it stands elsewhere") });
  const { session_seq, hash } = await promise;
  clearImmediate(again);
  leave();
  assert.equal(session_seq, head);
  assert.equal(hash, hashAfter(await s.sessionEvents(journal)));
  assert.ok(turns >= head / 200, `${turns} turns for ${head} events`);
});

test("[L8f] what is watched is kept now and then, as the events say, and nothing breaks when it cannot be", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  for (let n = 0; n < 550; n += 1) await s.write(journal, claim, d.token("m", `${n} `));
  await using server = await serveFeed(journal, { heartbeatMs: 25 });
  await using client = await connectFeed(server);
  client.watch("s1");
  const saved = () => journal.reads.savedFold("s1", REDUCER_VERSION);
  await until(async () => (await saved()) !== undefined, "the first fold");
  const first = await saved();
  const events = await s.sessionEvents(journal, "s1");
  assert.equal(first?.seq, events.length);
  assert.deepEqual(
    JSON.parse(first?.text ?? ""),
    JSON.parse(JSON.stringify(toFoldedSnapshot(foldEvents(emptyFolded("s1"), events)))),
  );
  for (let n = 0; n < 550; n += 1) await s.write(journal, claim, d.token("m", `${n} `));
  await until(async () => ((await saved())?.seq ?? 0) > events.length + 500, "the second");

  const full = { ...journal, saveFold: () => Promise.reject(new Error("disk full")) };
  await using other = await serveFeed(full, { heartbeatMs: 25 });
  await using tab = await connectFeed(other);
  tab.watch("s1");
  await tab.until(() => tab.frames("state").length === 1, "a state");
  assert.deepEqual([...server.errors, ...other.errors], []);
});

test("[L4] whatever part of what happens is told, in whatever order, the fold goes on", async () => {
  await using store = sqliteStore();
  const { journal, claim } = await s.withRun(store);
  await s.write(journal, claim, d.started());
  for (let n = 0; n < 90; n += 1) await s.write(journal, claim, d.token(`m${n % 3}`, `${n} `));
  const rows = (await journal.readSession("s1", 0, 1_000))?.rows ?? [];
  const events = rows.map(([, , body]) => JSON.parse(body) as RunEvent);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(rows.length - 1), { maxLength: 200 }), async (order) => {
      const failures: unknown[] = [];
      const emitted = Promise.withResolvers<string>();
      const watcher: Watcher & { position: number } = {
        position: 0,
        emit({ session_seq, hash }) {
          if (session_seq === rows.length) emitted.resolve(hash);
        },
      };
      const folds = sessionFolds(journal, {
        everyMs: 2,
        failed(error) {
          failures.push(error);
          emitted.resolve("failed");
        },
      });
      const leave = folds.join("s1", watcher);
      for (const [at, index] of order.entries()) {
        folds.tap("s1", rows[index] as StoredRow);
        if (at % 40 === 39) await nextTurn();
      }
      watcher.position = rows.length;
      assert.equal(await emitted.promise, hashAfter(events));
      leave();
      assert.deepEqual(failures, []);
    }),
    { numRuns: 60 },
  );
});
