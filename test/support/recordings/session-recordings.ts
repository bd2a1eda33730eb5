// Sessions recorded from the real program (scripts/record-journals.ts), one stored event per line, with
// all their runs, in the order of `session_seq`.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { UnknownEvent } from "../../../src/kernel/dialect/dialect.ts";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { linesOf } from "./recordings.ts";

export const SESSIONS = join(import.meta.dirname, "../../journals/sessions");
/** Other files with the name of a recording are the dialects' output. */
export const EVENTS = ".events.jsonl";

/** Known or unknown: readers must accept both. */
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

/** Root runs, in the order in which they were queued. */
export function rootRuns(events: readonly AnyEvent[]): string[] {
  const children = childrenIn(events);
  const runs = events.filter(({ run_id, session_id }) => run_id !== session_id);
  return [...new Set(runs.map(({ run_id }) => run_id))].filter((id) => !children.has(id));
}

/**
 * The events of a window on one run: the run, all its subagents, and the session's own events from
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
