// A session as lines. Unchanged items keep their lines: a token redraws only its own paragraph, however long the
// session is.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import { directCall } from "../../kernel/events/direct.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { values } from "../../kernel/state/vector.ts";
import { itemLines } from "./item-lines.ts";
import { bad, block, dim } from "./style.ts";

const MAX_LINES = 20_000; // of which a terminal keeps some

export function createTranscript() {
  let cache = new WeakMap<Item, string[]>();
  let drawnAt = 0;

  function linesOf(item: Item, width: number): string[] {
    const known = cache.get(item);
    if (known) return known;
    const lines = itemLines(item, width);
    cache.set(item, lines);
    return lines;
  }

  return (view: SessionView, width: number): string[] => {
    if (width !== drawnAt) cache = new WeakMap();
    drawnAt = width;
    const lines: string[] = [];
    for (const { runId, rewound } of values(view.session.runs)) {
      const run = view.runs[runId];
      // Whose child a run is stands in its second event; until then it is nobody's to show.
      if (!run || run.depth > 0 || run.seq < 2 || isWaiting(view, runId)) continue;
      if (rewound && !directCall(run)) {
        lines.push("", dim("  (an exchange that was undone)"));
        continue;
      }
      for (const item of values(run.items)) lines.push(...linesOf(item, width));
      lines.push(...childLines(view, run, width), ...endLines(run, width));
    }
    return lines.slice(-MAX_LINES);
  };
}

function isWaiting({ session }: SessionView, runId: string): boolean {
  return session.queue.some((queued) => queued.runId === runId);
}

/** Subagents that have not ended: what they do now. */
function childLines({ runs }: SessionView, run: RunState, width: number): string[] {
  return run.subagents
    .filter(({ status }) => status === "running")
    .flatMap(({ title, childRunId }) => {
      const child = runs[childRunId];
      const last = child ? lastOf(child) : "";
      return block(`↳ ${title}${last && `: ${last}`}`, width, dim, "    ").slice(0, 2);
    });
}

function lastOf(run: RunState): string {
  let last = "";
  for (const item of values(run.items)) {
    if (item.kind === "tool") last = item.label;
    else if (item.kind === "text") last = item.text.trim().split("\n").at(-1) ?? "";
  }
  return last.slice(-120);
}

function endLines(run: RunState, width: number): string[] {
  if (!isTerminal(run.status) || run.status === "completed") return [];
  const why = run.error?.message ?? (run.status === "cancelled" ? "Stopped." : run.status);
  return ["", ...block(why, width, run.status === "cancelled" ? dim : bad)];
}
