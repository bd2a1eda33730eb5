// The activity feed's fold against the dialect and the reducer it is made of, at every moment; and what of it
// is shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecordings } from "../../../test/support/recordings/session-recordings.ts";
import { createRecording } from "../../kernel/client/recording.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import { hudDialect } from "../../windows/hud/wire/hud.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  visibleNodes,
} from "../../windows/hud/state/hud-state.ts";
import type { HudNode } from "../../windows/hud/state/hud-state.ts";
import { hudFold, originOf } from "./fold.ts";
import {
  countNodes,
  limitOf,
  nodeAt,
  signOf,
  describeReplayed,
  splitReplay,
  tabStop,
  wholeOf,
} from "./shown-rows.ts";

function recorded(events: readonly RunEvent[]) {
  const recording = createRecording(events[0]?.session_id ?? "");
  for (const event of events) recording.append(event);
  return recording;
}

/** What a HUD client has after these frames. */
function asClient(events: readonly RunEvent[]) {
  const nodes = hudDialect.begin();
  return events
    .flatMap((event) => encode(hudDialect, event, nodes, { replay: false }))
    .reduce(applyHudFrame, emptyHud());
}

const everyNode = (nodes: readonly HudNode[]): HudNode[] =>
  nodes.flatMap((node) => [node, ...everyNode(node.children)]);

test("[W] [V2] the feed is what a HUD client has, now and at any moment, whatever was looked at before", () => {
  for (const { name, events: known } of readRecordings()) {
    const events = known as readonly RunEvent[];
    const recording = recorded(events);
    const moments = [events.length, 3, Math.floor(events.length / 2), events.length - 1, 0];
    for (const moment of [...moments, ...moments]) {
      const { feed } = recording.fold(hudFold, moment);
      assert.deepEqual(hudTree(feed.hud), hudTree(asClient(events.slice(0, moment))), name);
    }
  }
});

test("[UX] every row knows the event it began with, and is found by it", () => {
  let found = 0;
  for (const { name, events: known } of readRecordings()) {
    const events = known as readonly RunEvent[];
    const { feed } = recorded(events).fold(hudFold, events.length);
    const tree = hudTree(feed.hud);
    for (const node of everyNode(tree)) {
      const origin = originOf(feed, node);
      assert.ok(origin, `${name}: ${node.label}`);
      const event = events[origin.sessionSeq - 1];
      assert.equal(event?.run_id, origin.runId);
      assert.equal(event.seq, origin.seq);
      assert.ok(Math.abs(event.created_at * 1_000 - node.startedAt) < 1, name);
      const beside = nodeAt(feed, tree, origin);
      assert.ok(beside && originOf(feed, beside)?.sessionSeq === origin.sessionSeq);
      if (node.type === "tool") {
        assert.ok(event.type === "tool.intent" || event.type === "run.started", event.type);
        found += 1;
      }
    }
  }
  assert.ok(found > 0);
});

test("[UX] nothing told keeps the feed's identity, so that nothing is drawn again", () => {
  const events = readRecordings().flatMap((each) => each.events as readonly RunEvent[]);
  const last = events.find(({ type }) => type === "usage.updated");
  assert.ok(last);
  const before = hudFold.empty("s");
  assert.equal(hudFold.apply(before, [last]).feed, before.feed);
});

const node = (id: string, more: Partial<HudNode> = {}): HudNode => ({
  id,
  type: "turn",
  state: "done",
  label: "turn",
  startedAt: 1,
  children: [],
  replay: false,
  ...more,
});

test("[UX] the replayed group holds only what is over and old", () => {
  const old = node("old", { children: [node("old tool", { type: "tool" })] });
  const running = node("running", { state: "running" });
  const mixed = node("mixed", { children: [node("new tool", { type: "tool" })] });
  const replay = new Set(["old", "old tool", "running", "mixed"]);
  const isReplay = ({ id }: HudNode) => replay.has(id);
  const { past, news } = splitReplay([old, running, mixed], { isReplay, moment: false });
  assert.deepEqual(
    past.map(({ id }) => id),
    ["old"],
  );
  assert.deepEqual(
    news.map(({ id }) => id),
    ["running", "mixed"],
  );
  assert.equal(countNodes(past), 2);
  assert.equal(
    describeReplayed({ past, news }, isReplay),
    "Replayed: 4 rows from before this window was opened, 2 of them below",
  );
  const then = splitReplay([old, running], { isReplay, moment: true });
  assert.equal(
    describeReplayed(then, isReplay),
    "Replayed: 3 rows from before this window was opened",
    "at a moment of the past nothing goes on",
  );
  assert.equal(tabStop([old, mixed], "old tool"), "old tool");
  assert.equal(tabStop([old, mixed], "gone"), "new tool");
  assert.equal(tabStop([], null), null);
});

test("[UX] the document's emoji become icons; every other label stays as it is", () => {
  assert.deepEqual(signOf(node("a", { type: "tool", tool: "read", label: "👁 a b.md:L1–L2" })), {
    icon: "eye",
    words: "a b.md:L1–L2",
  });
  assert.deepEqual(signOf(node("b", { type: "tool", tool: "write", label: "✏️ x (overwrite)" })), {
    icon: "pencil",
    words: "x (overwrite)",
  });
  const named = { icon: "people", words: "delegate: Lookout" };
  const delegate = { type: "tool", tool: "delegate", label: "delegate: Lookout" } as const;
  assert.deepEqual(signOf(node("c", delegate)), named);
  assert.equal(signOf(node("d", { label: "constructor x" })).icon, "play");
});

test("[UX] the limit is one of those offered, fifty where nothing is known", () => {
  assert.deepEqual([null, "20", "0", "7", "x", "200"].map(limitOf), [50, 20, 0, 50, 50, 200]);
  const { feed } = recorded(
    (readRecordings().toSorted((a, b) => b.events.length - a.events.length)[0]?.events ??
      []) as readonly RunEvent[],
  ).fold(hudFold, 10_000);
  assert.ok(countNodes(visibleNodes(feed.hud, 5)) < feed.hud.entries.length);
  assert.equal(
    countNodes(visibleNodes(feed.hud, Number.POSITIVE_INFINITY)),
    feed.hud.entries.length,
  );
});

test("[UX] what is cut leads to the whole: a file, or the event that has it", () => {
  const bytes = 40_000;
  const sha256 = "ab".repeat(32);
  assert.deepEqual(wholeOf({ bytes, href: `/api/blobs/${sha256}`, sha256 }), { bytes, sha256 });
  const href = "/api/runs/run_1.t1.c0/events?after_seq=7";
  assert.deepEqual(wholeOf({ bytes, href }), { bytes, runId: "run_1.t1.c0", seq: 8 });
  for (const odd of [undefined, null, 7, {}, { bytes }, { bytes, href: "https://a.example/" }]) {
    assert.equal(wholeOf(odd), undefined);
  }
});
