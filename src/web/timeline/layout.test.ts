// The geometry of the timeline, without a page: what is where, what is drawn, what decided the end.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunLine, Span } from "../../kernel/state/timeline/timeline.ts";
import { vectorOf } from "../../kernel/state/vector.ts";
import { barsIn } from "./bars.ts";
import { criticalPath } from "./critical-path.ts";
import { familyOf, type Family } from "./family.ts";
import { horizonOf } from "./horizon.ts";
import { idleStretches } from "./idle.ts";
import { around, beside, inOrder, inwards, outwards, spanOf, step } from "./order.ts";
import { pack, placeRows, rowsInSight, rowsOf } from "./rows.ts";
import { clampZoom, finest, fitting, GAP, scaleOf, ticks, toTime, toX } from "./scale.ts";
import { offset } from "./labels.ts";

const LANE_OF = { turn: "model", call: "tools", request: "person", process: "tools" } as const;

/** `id`, kind, from, to. */
function span(id: string, kind: keyof typeof LANE_OF, from: number, to: number | null): Span {
  return {
    id,
    kind,
    lane: LANE_OF[kind],
    runId: "r",
    depth: 0,
    label: id,
    detail: "",
    startedAt: from,
    endedAt: to,
    status: to === null ? "running" : "done",
    seq: Number(id.replaceAll(/\D/g, "")) || 1,
    from: 1,
    to: null,
    parent: null,
    childRunId: null,
  };
}

function line(runId: string, spans: readonly Span[], more: Partial<RunLine> = {}): RunLine {
  const own = spans.map((one) => ({ ...one, runId }));
  const startedAt = Math.min(...spans.map((one) => one.startedAt));
  const ends = spans.map((one) => one.endedAt ?? Infinity);
  const endedAt = Math.max(...ends) === Infinity ? null : Math.max(...ends);
  return {
    runId,
    parentRunId: null,
    rootRunId: "r",
    depth: 0,
    title: runId,
    askedBy: null,
    startedAt,
    endedAt,
    status: "done",
    spans: vectorOf(own),
    messageSeq: null,
    lostAt: null,
    turn: null,
    calls: {},
    open: {},
    ...more,
  };
}

function family(...lines: RunLine[]): Family {
  return familyOf(vectorOf(lines), "r") ?? assert.fail();
}

const ids = (spans: readonly Span[]) => spans.map(({ id }) => id);
const child = (spans: readonly Span[], askedBy: string) =>
  line("sub", spans, { parentRunId: "r", depth: 1, askedBy });

test("[UX] calls that overlap get rows of their own, as few as can be; what goes on keeps its row", () => {
  const spans = [
    span("a", "call", 0, 4),
    span("b", "call", 1, 3),
    span("c", "call", 3, 5),
    span("d", "call", 5, null),
    span("e", "call", 9, 10),
  ];
  assert.deepEqual(pack(spans).map(ids), [
    ["a", "d"],
    ["b", "c", "e"],
  ]);
});

test("[UX] a subagent is one bar until it is opened; then its lanes stand below the call that asked", () => {
  const call = { ...span("call", "call", 2, 8), childRunId: "sub" };
  const all = family(
    line("r", [span("t1", "turn", 0, 2), call]),
    child([span("t2", "turn", 3, 4), span("x", "call", 4, 7)], "call"),
  );
  const folded = rowsOf(all, new Set());
  assert.deepEqual(
    folded.map(({ lane, group }) => group?.title ?? lane),
    ["model", "sub"],
  );
  assert.deepEqual(ids(folded[1]?.spans ?? []), ["call"]);
  const opened = rowsOf(all, new Set(["sub"]));
  assert.deepEqual(
    opened.map(({ lane, depth, group }) => [group?.title ?? lane, depth]),
    [
      ["model", 0],
      ["sub", 0],
      ["model", 1],
      ["tools", 1],
    ],
  );
});

test("[UX] a journal in which runs are each other's subagents is drawn all the same", () => {
  const down = { ...span("a", "call", 0, 4), childRunId: "sub" };
  const up = { ...span("b", "call", 0, 4), childRunId: "r" };
  const root = line("r", [down], { parentRunId: "sub", askedBy: "b" });
  const all = family(root, child([up], "a"));
  assert.ok(rowsOf(all, new Set(["r", "sub"])).length > 0);
  assert.deepEqual(around(all, all.spans.get("b") ?? null), ["sub"]);
  assert.equal(criticalPath(all, 9).wall, 4);
});

test("[UX] a subagent that was asked for and never began does not keep the clock running", () => {
  const never = {
    ...child([span("x", "call", 1, 2)], "a"),
    spans: vectorOf<Span>([]),
    endedAt: null,
  };
  assert.equal(family(line("r", [span("a", "call", 0, 4)]), never).endedAt, 4);
  const goes = child([span("x", "call", 1, null)], "a");
  assert.equal(family(line("r", [span("a", "call", 0, 4)]), goes).endedAt, null);
});

test("[UX] names stand beside the bars, or above them where there is no room beside", () => {
  const rows = rowsOf(
    family(line("r", [span("a", "call", 0, 4), span("b", "call", 1, 2)])),
    new Set(),
  );
  const beside = placeRows(rows, { row: 24, thin: 20, name: 0, groupName: 0 });
  assert.deepEqual([beside.tops, beside.height], [[0, 24], 48]);
  const above = placeRows(rows, { row: 44, thin: 32, name: 20, groupName: 44 });
  assert.deepEqual([above.tops, above.height], [[0, 64], 108]);
  assert.deepEqual(rowsInSight(beside, 0, 10), [0, 2]);
});

test("[UX] time becomes x and comes back, also where idle time is compressed", () => {
  const extent = { start: 100, end: 200, idle: [{ from: 120, to: 180 }] };
  const scale = scaleOf(extent, 10);
  assert.equal(scale.width, 200 + GAP + 200);
  assert.deepEqual(
    [100, 110, 120, 150, 180, 200, 999, 0].map((time) => toX(scale, time)),
    [0, 100, 200, 200 + GAP / 2, 200 + GAP, 400 + GAP, 400 + GAP, 0],
  );
  for (const time of [100, 111, 120, 133, 179, 188, 200]) {
    assert.ok(Math.abs(toTime(scale, toX(scale, time)) - time) < 1e-9);
  }
  assert.equal(
    scaleOf(extent, 0.1).width,
    10,
    "what is narrower than the mark is not widened to it",
  );
});

test("[UX] fit fills the width exactly, compressed or not, and zoom stays between that and a millisecond", () => {
  for (const idle of [
    [],
    [{ from: 10, to: 90 }],
    [
      { from: 1, to: 30 },
      { from: 31, to: 99 },
    ],
  ]) {
    const extent = { start: 0, end: 100, idle };
    const width = scaleOf(extent, fitting(extent, 800)).width;
    assert.ok(Math.abs(width - 800) < 0.01, `${width}`);
  }
  const extent = { start: 0, end: 100, idle: [] };
  assert.equal(clampZoom(extent, 0.001, 800), 8);
  assert.equal(clampZoom(extent, 1e9, 800), finest(extent));
  const all = { start: 0, end: 100, idle: [{ from: 0, to: 100 }] };
  assert.ok(scaleOf(all, fitting(all, 800)).width <= 800, "nothing but idle time never fills it");
});

test("[UX] ticks are round, apart from each other, in sight, and not where time is missing", () => {
  const scale = scaleOf({ start: 50, end: 650, idle: [{ from: 150, to: 550 }] }, 4);
  const shown = ticks(scale, 0, scale.width);
  assert.deepEqual(
    shown.map(({ seconds }) => seconds),
    [0, 30, 60, 510, 540, 570, 600],
  );
  assert.ok(shown.every(({ seconds }) => seconds < 100 || seconds >= 500));
  const apart = shown.slice(1).map(({ x }, index) => x - (shown[index]?.x ?? 0));
  assert.ok(Math.min(...apart) >= 80);
  assert.ok(ticks(scale, 100, 200).every(({ x }) => x >= 99 && x <= 201));
  assert.deepEqual([0, 0.002, 1.5, 90, 3_601].map(offset), [
    "0",
    "2 ms",
    "1.5 s",
    "1:30",
    "1:00:01",
  ]);
});

test("[UX] only bars in sight are drawn, and what cannot be told apart is one block", () => {
  const spans = Array.from({ length: 2_000 }, (_, at) => span(`s${at}`, "call", at, at + 0.5));
  const far = scaleOf({ start: 0, end: 2_000, idle: [] }, 0.4);
  const blocks = barsIn({ spans }, far, { from: 0, to: 800, now: 2_000 });
  assert.ok(blocks.length < 300, `${blocks.length} blocks`);
  assert.equal(
    blocks.reduce((sum, bar) => sum + bar.spans.length, 0),
    2_000,
  );
  const near = scaleOf({ start: 0, end: 2_000, idle: [] }, 100);
  const seen = barsIn({ spans }, near, { from: 50_000, to: 50_800, now: 2_000 });
  assert.ok(seen.length <= 11 && seen.some((bar) => bar.spans[0].id === "s504"), `${seen.length}`);
  assert.ok(seen.every((bar) => bar.spans.length === 1 && bar.room >= bar.width));
});

test("[UX] what goes on is drawn up to now and says that it grows", () => {
  const scale = scaleOf({ start: 0, end: 10, idle: [] }, 10);
  const [bar] = barsIn({ spans: [span("a", "call", 2, null)] }, scale, { from: 0, to: 99, now: 7 });
  assert.deepEqual([bar?.x, bar?.width, bar?.open], [20, 50, true]);
});

test("[UX] idle is where nothing is at work or only a person is waited for, inside a call too", () => {
  const asks = span("ask", "call", 20, 50);
  const all = family(
    line("r", [
      span("t", "turn", 0, 10),
      span("wait", "request", 10, 20),
      asks,
      { ...span("q", "request", 22, 48), parent: "ask" },
      span("p", "process", 50, 90),
      span("t2", "turn", 90, 100),
    ]),
  );
  assert.deepEqual(idleStretches(all, { from: 0, to: 100 }), [
    { from: 10, to: 20 },
    { from: 22, to: 48 },
    { from: 50, to: 90 },
  ]);
  const beside = family(line("r", [span("a", "call", 0, 80), span("b", "call", 1, 2)]));
  assert.deepEqual(idleStretches(beside, { from: 0, to: 100 }), [{ from: 80, to: 100 }]);
});

test("[UX] a call that waits for a subagent is as idle as the subagent is", () => {
  const call = { ...span("call", "call", 10, 90), childRunId: "sub" };
  const all = family(
    line("r", [span("t", "turn", 0, 10), call, span("t2", "turn", 90, 100)]),
    child(
      [span("x", "turn", 12, 20), span("ok", "request", 20, 80), span("y", "call", 80, 90)],
      "call",
    ),
  );
  assert.deepEqual(idleStretches(all, { from: 0, to: 100 }), [
    { from: 10, to: 12 },
    { from: 20, to: 80 },
  ]);
});

test("[UX] the critical path goes back from the end to what ended last before, and into subagents", () => {
  const call = { ...span("call", "call", 10, 90), childRunId: "sub" };
  const all = family(
    line("r", [
      span("t", "turn", 0, 9),
      call,
      span("short", "call", 10, 30),
      span("t2", "turn", 91, 100),
    ]),
    child(
      [span("x", "turn", 12, 20), span("ok", "request", 20, 80), span("y", "call", 80, 90)],
      "call",
    ),
  );
  const { seconds, wall, spans, segments } = criticalPath(all, 100);
  assert.equal(wall, 100);
  assert.deepEqual(seconds, { model: 9 + 8 + 9, tools: 2 + 10, person: 60, queue: 0, between: 2 });
  assert.ok(!spans.has("short") && spans.has("call") && spans.has("ok"));
  assert.deepEqual(
    segments.map((segment) => segment.span?.id ?? null),
    ["t", null, "call", "x", "ok", "y", null, "t2"],
  );
});

test("[UX] a command in the background decides nothing, and of two that end together the longer does", () => {
  const all = family(
    line("r", [
      span("p", "process", 0, 10),
      span("long", "call", 0, 9),
      span("late", "call", 8, 9),
      span("t", "turn", 9, 10),
    ]),
  );
  assert.deepEqual([...criticalPath(all, 10).spans], ["t", "long"]);
});

test("[UX] by key: next and previous by time, into and out of a subagent, along and across rows", () => {
  const call = { ...span("c7", "call", 10, 90), childRunId: "sub" };
  const all = family(
    line("r", [span("t1", "turn", 0, 10), call, span("t2", "turn", 90, 100)]),
    child([span("x", "turn", 12, 20)], "c7"),
  );
  const rows = rowsOf(all, new Set(["sub"]));
  const order = inOrder(rows);
  const named = (id: string) => all.spans.get(id) ?? assert.fail();
  assert.deepEqual(ids(order), ["t1", "c7", "x", "t2"]);
  assert.equal(step(order, null, 1)?.id, "t1");
  assert.equal(step(order, null, -1)?.id, "t2");
  assert.equal(step(order, named("c7"), 1)?.id, "x");
  assert.equal(step(order, named("t2"), 1), undefined);
  assert.equal(outwards(all, named("x"))?.id, "c7");
  assert.equal(inwards(all, named("c7"))?.id, "x");
  assert.equal(beside(rows, named("t1"), "ArrowRight")?.id, "t2");
  assert.equal(beside(rows, named("t2"), "ArrowDown")?.id, "c7");
  assert.equal(beside(rows, named("x"), "ArrowUp")?.id, "c7");
  assert.deepEqual(around(all, named("x")), ["sub"]);
  assert.equal(spanOf(all, { runId: "r", seq: 7 })?.id, "c7");
  assert.equal(spanOf(all, { runId: "r", seq: 2 })?.id, "t2");
  const said = { ...span("t3", "turn", 0, 1), from: 4, to: 9 };
  const turn = family(line("r", [{ ...said, seq: 5 }]));
  assert.equal(spanOf(turn, { runId: "r", seq: 8 })?.id, "t3", "a later part of what it said");
  assert.equal(spanOf(turn, { runId: "r", seq: 10 }), null);
  assert.equal(spanOf(all, { runId: "nobody", seq: 7 }), null);
});

test("[UX] the axis of a run that goes on ends at a round time after now, and stands still until then", () => {
  assert.equal(horizonOf(1_000, 1_001), 1_006);
  for (let now = 1_000; now < 5_000; now += 7) {
    const end = horizonOf(1_000, now);
    assert.ok(end > now && end - 1_000 <= Math.max(6, (now - 1_000) * 1.4), `${now} ${end}`);
  }
});
