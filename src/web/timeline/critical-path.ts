// The critical path: from the end back to whatever ended last before. Its parts add up to the whole time.
import type { Lane, Span } from "../../kernel/state/timeline/timeline.ts";
import { endOfSpan, type Family } from "./family.ts";

export type PathLane = Exclude<Lane, "plan"> | "between";
/** `span` null: no span was active. */
export type Segment = { readonly span: Span | null; readonly from: number; readonly to: number };
export type CriticalPath = {
  readonly segments: readonly Segment[]; // oldest first
  readonly spans: ReadonlySet<string>;
  readonly seconds: Readonly<Record<PathLane, number>>;
  readonly wall: number;
};

type Walk = {
  readonly family: Family;
  readonly now: number;
  readonly out: Segment[];
  readonly chosen: Set<string>;
};
type Within = { readonly owner: Span | null; readonly from: number; readonly to: number };

export function criticalPath(family: Family, now: number): CriticalPath {
  const walk: Walk = { family, now, out: [], chosen: new Set() };
  const from = family.root.startedAt;
  const to = Math.max(from, family.endedAt ?? now);
  const top = [...family.spans.values()].filter((span) => isTop(family, span));
  back(walk, top, { owner: null, from, to });
  const seconds: Record<PathLane, number> = { queue: 0, model: 0, tools: 0, person: 0, between: 0 };
  for (const segment of walk.out) seconds[laneOf(segment)] += segment.to - segment.from;
  return { segments: walk.out.toReversed(), spans: walk.chosen, seconds, wall: to - from };
}

/** Plan steps and background commands block nothing. */
const decides = ({ kind }: Span): boolean => kind !== "step" && kind !== "process";

function isTop({ lines, spans }: Family, span: Span): boolean {
  const container = span.parent ?? lines.get(span.runId)?.askedBy ?? null;
  return decides(span) && (container === null || !spans.has(container));
}

function laneOf({ span }: Segment): PathLane {
  return span === null || span.lane === "plan" ? "between" : span.lane;
}

function back(walk: Walk, spans: readonly Span[], within: Within): void {
  const clipped = spans.flatMap((span) => {
    const from = Math.max(within.from, span.startedAt);
    const to = Math.min(within.to, endOfSpan(span, walk.now));
    return decides(span) && from < to ? [{ span, from, to }] : [];
  });
  // Of two that ended together, the longer one decided.
  clipped.sort((a, b) => b.to - a.to || a.from - b.from);
  let at = within.to;
  for (const { span, from, to } of clipped) {
    if (to > at) continue; // beside what was chosen
    if (to < at) walk.out.push({ span: within.owner, from: to, to: at });
    walk.chosen.add(span.id);
    const parts = walk.family.inside.get(span.id) ?? [];
    if (parts.length === 0) walk.out.push({ span, from, to });
    else back(walk, parts, { owner: span, from, to });
    at = from;
  }
  if (at > within.from) walk.out.push({ span: within.owner, from: within.from, to: at });
}
