// Idle stretches: nothing happened, or only a person was waited for.
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import { endOfSpan, type Family } from "./family.ts";

export type Stretch = { readonly from: number; readonly to: number };

/** Shorter ones get no mark, and there are never more than this many. */
const MAX = 50;

/** Oldest first, disjoint. `to`: the end of what is still running. */
export function idleStretches(family: Family, within: Stretch): Stretch[] {
  const shortest = (within.to - within.from) / MAX;
  const idle: Stretch[] = [];
  let at = within.from;
  for (const { from, to } of atWork(family, within.to)) {
    if (from - at >= shortest && from > at) idle.push({ from: at, to: Math.min(from, within.to) });
    at = Math.max(at, to);
  }
  if (within.to - at >= shortest && within.to > at) idle.push({ from: at, to: within.to });
  return idle;
}

function atWork(family: Family, now: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (const span of family.spans.values()) {
    if (span.kind !== "turn" && span.kind !== "compaction" && span.kind !== "call") continue;
    if (span.childRunId !== null && family.lines.has(span.childRunId)) continue; // its own spans tell
    const asked = (family.inside.get(span.id) ?? []).filter(({ lane }) => lane === "person");
    stretches.push(...without({ from: span.startedAt, to: endOfSpan(span, now) }, asked, now));
  }
  return stretches.sort((a, b) => a.from - b.from);
}

/** A call without the requests inside it. */
function without(whole: Stretch, asked: readonly Span[], now: number): Stretch[] {
  const left: Stretch[] = [];
  let at = whole.from;
  for (const span of asked) {
    if (span.startedAt > at) left.push({ from: at, to: Math.min(span.startedAt, whole.to) });
    at = Math.max(at, endOfSpan(span, now));
  }
  if (whole.to > at || left.length === 0) left.push({ from: Math.min(at, whole.to), to: whole.to });
  return left;
}
