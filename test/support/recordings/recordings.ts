// Journals recorded from real runs (`quarterdeck run --json`), one stored event per line.
import { createHash } from "node:crypto";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import {
  applyEvent,
  emptyRun,
  toSnapshot,
  type RunSnapshot,
} from "../../../src/kernel/state/run/state.ts";

/** The final state of a run, and one digest of all states before it. */
export type Folded = { readonly last: RunSnapshot; readonly every: string };

export const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

export function foldLines(text: string): Folded {
  const events = linesOf(text).map((line) => JSON.parse(line) as RunEvent);
  const digest = createHash("sha256");
  let state = emptyRun(events[0]?.run_id ?? "");
  for (const event of events) {
    state = applyEvent(state, event);
    digest.update(JSON.stringify(sorted(toSnapshot(state))));
  }
  return { last: toSnapshot(state), every: digest.digest("hex") };
}

/** With sorted keys, so that only the content of a state counts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}
