// Keyboard navigation between spans, and the span of a selected event.
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import type { Anchor } from "../session/selection.ts";
import { containerOf, type Family } from "./family.ts";
import type { Row } from "./rows.ts";

/** All spans with a bar by time, then from top to bottom. */
export function inOrder(rows: readonly Row[]): Span[] {
  return rows.flatMap(({ spans }) => spans).sort((a, b) => a.startedAt - b.startedAt);
}

export function step(spans: readonly Span[], current: Span | null, by: 1 | -1): Span | undefined {
  const at = current === null ? -1 : spans.findIndex(({ id }) => id === current.id);
  if (at === -1) return by === 1 ? spans[0] : spans.at(-1);
  return spans[at + by];
}

/** The span that begins with the event, or the turn around it. */
export function spanOf(family: Family, selected: Anchor | null): Span | null {
  if (!selected) return null;
  let within: Span | null = null;
  for (const span of family.spans.values()) {
    if (span.runId !== selected.runId) continue;
    if (span.seq === selected.seq) return span;
    const said = span.kind === "turn" && span.from <= selected.seq;
    if (said && selected.seq <= (span.to ?? Infinity)) within = span;
  }
  return within;
}

/** Subagents that must be expanded to show a span. */
export function around(family: Family, span: Span | null): string[] {
  const runs: string[] = [];
  for (let runId = span?.runId; runId !== undefined && !runs.includes(runId);) {
    const line = family.lines.get(runId);
    if (!line || line === family.root) break;
    runs.push(runId);
    runId = line.parentRunId ?? undefined;
  }
  return runs;
}

export function outwards(family: Family, span: Span): Span | undefined {
  return containerOf(family, span);
}

export function inwards(family: Family, span: Span): Span | undefined {
  const inside = family.inside.get(span.id) ?? [];
  return inside.toSorted((a, b) => a.startedAt - b.startedAt)[0];
}

/** Arrow keys: along the row, or to the nearest span in the next row that has one. */
export function beside(rows: readonly Row[], current: Span, key: string): Span | undefined {
  const at = rows.findIndex(({ spans }) => spans.some(({ id }) => id === current.id));
  const row = rows[at];
  if (!row) return undefined;
  const place = row.spans.findIndex(({ id }) => id === current.id);
  if (key === "Home") return row.spans[0];
  if (key === "End") return row.spans.at(-1);
  if (key === "ArrowLeft") return row.spans[place - 1];
  if (key === "ArrowRight") return row.spans[place + 1];
  const next = key === "ArrowUp" ? rows.slice(0, at).toReversed() : rows.slice(at + 1);
  return nearest(next.find(({ spans }) => spans.length > 0)?.spans ?? [], current.startedAt);
}

function nearest(spans: readonly Span[], time: number): Span | undefined {
  const distance = ({ startedAt }: Span) => Math.abs(startedAt - time);
  return spans.toSorted((a, b) => distance(a) - distance(b))[0];
}
