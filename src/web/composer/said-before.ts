// What was said in this session, the newest first: for saying it again in other words.
import type { SessionView } from "../../kernel/client/session-store.ts";
import { directCall } from "../../kernel/events/direct.ts";
import { get } from "../../kernel/state/vector.ts";

/** The `back`th newest message a person wrote, from 1; null: there are not as many. */
export function saidBefore({ session, runs }: SessionView, back: number): string | null {
  let left = back;
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const summary = get(session.runs, at);
    const run = summary && runs[summary.runId];
    if (!run || run.depth > 0 || directCall(run)) continue;
    for (let index = run.items.length - 1; index >= 0; index -= 1) {
      const item = get(run.items, index);
      if (item?.kind !== "user" || item.mode === "goal" || item.retracted) continue;
      left -= 1;
      if (left === 0) return item.text;
    }
  }
  return null;
}
