// Rows of the chart: lanes of each run, overlapping calls below each other, subagents collapsed to one bar.
import type { Lane, RunLine, Span } from "../../kernel/state/timeline/timeline.ts";
import { values } from "../../kernel/state/vector.ts";
import type { Family } from "./family.ts";
import { lastBefore } from "./scale.ts";

export type Row = {
  readonly key: string;
  readonly runId: string;
  readonly depth: number; // of the run it belongs to
  readonly lane: Lane;
  readonly thin: boolean;
  readonly first: boolean; // of its lane: it has the name
  /** The subagent that this row expands. */
  readonly group: { readonly runId: string; readonly title: string; readonly open: boolean } | null;
  /** By time, without overlap. */
  readonly spans: readonly Span[];
};

export function rowsOf(family: Family, opened: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  addRun(rows, { family, opened }, family.root);
  return rows;
}

type Drawing = {
  readonly family: Family;
  readonly opened: ReadonlySet<string>;
};

function addRun(rows: Row[], drawing: Drawing, line: RunLine): void {
  const lanes = lanesOf(line, drawing.family);
  addLane(rows, line, { lane: "plan", thin: true, spans: lanes.plan });
  addLane(rows, line, { lane: "model", thin: false, spans: lanes.model });
  addLane(rows, line, { lane: "tools", thin: false, spans: lanes.tools });
  const alone = lanes.tools.length === 0;
  addLane(rows, line, { lane: "tools", thin: true, named: alone, spans: lanes.processes });
  addLane(rows, line, { lane: "person", thin: false, spans: lanes.person });
  addLane(rows, line, { lane: "queue", thin: false, spans: lanes.queue });
  for (const child of drawing.family.children.get(line.runId) ?? []) addGroup(rows, drawing, child);
}

function addGroup(rows: Row[], drawing: Drawing, child: RunLine): void {
  const call = child.askedBy === null ? undefined : drawing.family.spans.get(child.askedBy);
  const open = drawing.opened.has(child.runId);
  rows.push({
    key: `${child.runId}/group`,
    runId: child.parentRunId ?? child.runId,
    depth: child.depth - 1,
    lane: "tools",
    thin: false,
    first: true,
    group: { runId: child.runId, title: child.title, open },
    spans: call ? [call] : [],
  });
  if (open) addRun(rows, drawing, child);
}

function lanesOf(line: RunLine, { lines }: Family) {
  const lanes = {
    plan: [] as Span[],
    queue: [] as Span[],
    model: [] as Span[],
    tools: [] as Span[],
    person: [] as Span[],
    processes: [] as Span[],
  };
  for (const span of values(line.spans)) {
    if (span.kind === "process") lanes.processes.push(span);
    else if (span.childRunId === null || !lines.has(span.childRunId)) lanes[span.lane].push(span);
  }
  return lanes;
}

type LaneSpans = {
  readonly lane: Lane;
  readonly thin: boolean;
  readonly named?: boolean;
  readonly spans: readonly Span[];
};

function addLane(rows: Row[], line: RunLine, of: LaneSpans): void {
  const { runId, depth } = line;
  const { lane, thin, named = true, spans } = of;
  for (const [index, packed] of pack(spans).entries()) {
    const key = `${runId}/${lane}${thin ? "-thin" : ""}/${index}`;
    const first = index === 0 && named;
    rows.push({ key, runId, depth, lane, thin, first, group: null, spans: packed });
  }
}

/** Packs spans into as few rows as possible without overlap. What is running keeps its row. */
export function pack(spans: readonly Span[]): Span[][] {
  const rows: { spans: Span[]; end: number }[] = [];
  for (const span of spans.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const end = span.endedAt ?? Infinity;
    const row = rows.find((one) => one.end <= span.startedAt);
    if (row) {
      row.spans.push(span);
      row.end = end;
    } else rows.push({ spans: [span], end });
  }
  return rows.map((row) => row.spans);
}

export type Metrics = {
  readonly row: number;
  readonly thin: number;
  readonly name: number; // on top of the bar; 0: it stands beside it
  readonly groupName: number;
};
export type Placed = {
  readonly rows: readonly Row[];
  readonly tops: readonly number[];
  readonly height: number;
  readonly nameHeights: readonly number[];
};

export function placeRows(rows: readonly Row[], metrics: Metrics): Placed {
  const tops: number[] = [];
  const nameHeights: number[] = [];
  let height = 0;
  for (const row of rows) {
    const named = row.group ? metrics.groupName : metrics.name;
    const name = row.first ? named : 0;
    tops.push(height);
    nameHeights.push(name);
    height += name + (row.thin ? metrics.thin : metrics.row);
  }
  return { rows, tops, height, nameHeights };
}

/** Indexes of the visible rows and a few around them. */
export function rowsInSight({ tops, rows }: Placed, top: number, bottom: number): [number, number] {
  const first = Math.max(0, lastBefore(tops, (one) => one <= top) - 2);
  const end = Math.min(rows.length, lastBefore(tops, (one) => one < bottom) + 3);
  return [first, end];
}
