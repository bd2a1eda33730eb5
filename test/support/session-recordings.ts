// Sessions recorded from the real program (scripts/record-journals.ts), one stored event per line, with
// all their runs, in the order of `session_seq`.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { UnknownEvent } from "../../src/kernel/dialect/dialect.ts";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import { linesOf } from "./recordings.ts";

export const SESSIONS = join(import.meta.dirname, "../journals/sessions");
/** What else is called after a recording is what dialects make of it. */
export const EVENTS = ".events.jsonl";

/** Known or not: readers must take both. */
export type AnyEvent = RunEvent | UnknownEvent;
export type Recording = {
  readonly name: string;
  readonly lines: readonly string[];
  readonly events: readonly AnyEvent[];
};

export function readRecordings(): Recording[] {
  const files = globSync(`*${EVENTS}`, { cwd: SESSIONS }).toSorted();
  return files.map((file) => {
    const lines = linesOf(readFileSync(join(SESSIONS, file), "utf8"));
    return { name: file.slice(0, -EVENTS.length), lines, events: lines.map(parsed) };
  });
}

const parsed = (line: string) => JSON.parse(line) as AnyEvent;

/** Runs that nobody delegated, in the order they were queued. */
export function rootRuns(events: readonly AnyEvent[]): string[] {
  const children = childrenIn(events);
  const runs = events.filter(({ run_id, session_id }) => run_id !== session_id);
  return [...new Set(runs.map(({ run_id }) => run_id))].filter((id) => !children.has(id));
}

/**
 * What a window on one run is given: the run, its subagents and theirs, and what the session says from
 * its beginning to its end.
 */
export function familyOf(events: readonly AnyEvent[], runId: string): AnyEvent[] {
  const parents = childrenIn(events);
  const isOf = (id: string | undefined): boolean =>
    id === runId || (id !== undefined && isOf(parents.get(id)));
  const first = events.findIndex(({ run_id }) => run_id === runId);
  const last = events.findLastIndex(({ run_id }) => run_id === runId);
  return events
    .slice(first, last + 1)
    .filter(({ run_id, session_id }) => run_id === session_id || isOf(run_id));
}

function childrenIn(events: readonly AnyEvent[]): Map<string, string> {
  const parents = new Map<string, string>();
  for (const event of events) {
    if (event.type !== "subagent.started") continue;
    const { child_run_id } = event.payload as { child_run_id: string };
    parents.set(child_run_id, event.run_id);
  }
  return parents;
}
