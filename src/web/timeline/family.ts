// A root run with all of its subagents: the input of one timeline.
import type { RunLine, Span } from "../../kernel/state/timeline/timeline.ts";
import { values, type Vector } from "../../kernel/state/vector.ts";

export type Family = {
  readonly root: RunLine;
  readonly lines: ReadonlyMap<string, RunLine>;
  readonly spans: ReadonlyMap<string, Span>;
  /** Spans inside a span: its requests and processes, or a subagent's. */
  readonly inside: ReadonlyMap<string, readonly Span[]>;
  /** Subagents by parent run, in the order they were started. */
  readonly children: ReadonlyMap<string, readonly RunLine[]>;
  /** When its last run ended; null while one is active. */
  readonly endedAt: number | null;
};

export function familyOf(lines: Vector<RunLine>, rootId: string): Family | null {
  const found = new Map<string, RunLine>();
  for (const line of values(lines)) {
    if (line.rootRunId === rootId || line.runId === rootId) found.set(line.runId, line);
  }
  const root = found.get(rootId);
  if (!root) return null;
  const spans = new Map<string, Span>();
  const inside = new Map<string, Span[]>();
  const children = new Map<string, RunLine[]>();
  for (const line of found.values()) {
    const parentRun = line.parentRunId;
    if (parentRun !== null && line !== root) append(children, parentRun, line);
    for (const span of values(line.spans)) {
      spans.set(span.id, span);
      const container = span.parent ?? line.askedBy;
      if (container !== null) append(inside, container, span);
    }
  }
  return { root, lines: found, spans, inside, children, endedAt: endOf(found, root) };
}

/** The parent span. */
export function containerOf(family: Family, span: Span): Span | undefined {
  const id = span.parent ?? family.lines.get(span.runId)?.askedBy;
  return id === undefined || id === null ? undefined : family.spans.get(id);
}

export const endOfSpan = (span: Span, now: number): number =>
  Math.max(span.startedAt, span.endedAt ?? now);

function endOf(lines: ReadonlyMap<string, RunLine>, root: RunLine): number | null {
  let end = 0;
  for (const line of lines.values()) {
    if (line !== root && line.spans.length === 0) continue; // asked for, never begun: it ends never
    if (line.endedAt === null) return null;
    end = Math.max(end, line.endedAt);
  }
  return end;
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}
