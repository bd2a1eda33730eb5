// Which runs are exchanges (a message and its answer), and which is the newest. The server decides; this only
// hides buttons that cannot work.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import { directCall } from "../../kernel/events/direct.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { get } from "../../kernel/state/vector.ts";

export function firstOf(run: RunState | undefined): Item | undefined {
  return run && get(run.items, 0);
}

export function isExchange(run: RunState): boolean {
  const first = firstOf(run);
  return run.depth === 0 && first?.kind === "user" && !first.retracted && !directCall(run);
}

/** The newest exchange that counts, if nothing is running: the target of retry and undo. */
export function lastExchange({ session, runs }: SessionView): string | null {
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    const run = summary && runs[summary.runId];
    if (!run || run.depth > 0 || summary.rewound) continue;
    if (!isTerminal(run.status)) return null;
    if (isExchange(run)) return run.runId;
  }
  return null;
}

/** The newest exchange that has ended. */
export function newestExchange({ session, runs }: SessionView): string | null {
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    const run = summary && runs[summary.runId];
    if (!run || summary.rewound || !isTerminal(run.status) || !isExchange(run)) continue;
    return run.runId;
  }
  return null;
}

export function isRewound({ session }: SessionView, runId: string): boolean {
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    if (summary?.runId === runId) return summary.rewound;
  }
  return false;
}

/** Whether any run of the session has not ended. */
export function isBusy({ session, runs }: SessionView): boolean {
  return Object.keys(session.open).some((runId) => (runs[runId]?.depth ?? 1) === 0);
}
