// The messages that still count, newest first, and what rewinding to each would undo. Pure.
import type { SessionView } from "../../kernel/client/session-store.ts";
import { get } from "../../kernel/state/vector.ts";
import { filesOf } from "../files/run-files.ts";
import { isExchange } from "./exchange.ts";

export type Turn = {
  readonly runId: string;
  readonly text: string;
  readonly at: number; // unix seconds
  readonly files: number; // with this exchange changed by the agent
  readonly undoes: number; // exchanges, itself included
};

export function turnsOf({ session, runs }: SessionView): readonly Turn[] {
  const turns: Turn[] = [];
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    const run = summary && runs[summary.runId];
    if (!run || summary.rewound || !isExchange(run)) continue;
    const said = get(run.items, 0);
    if (said?.kind !== "user") continue;
    const files = filesOf(runs, run.runId).length;
    turns.push({ runId: run.runId, text: said.text, at: said.at, files, undoes: turns.length + 1 });
  }
  return turns;
}
