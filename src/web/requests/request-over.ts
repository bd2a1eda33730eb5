// Whether a request can no longer be answered because its run or call has ended.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { ToolItem, ToolStatus } from "../../kernel/state/run/items.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { useSession } from "../session/use-session.ts";

const FINAL: ReadonlySet<ToolStatus> = new Set([
  "completed",
  "failed",
  "denied",
  "skipped",
  "cancelled",
  "marked_done",
]);

export type Over = "run" | "call" | null;

export function useOver(runId: string, tool: ToolItem | null): Over {
  const ended = useSession((view) => hasEnded(view, runId));
  if (ended) return "run";
  return tool !== null && FINAL.has(tool.status) ? "call" : null;
}

/** A subagent ends with the run that started it, whatever its own log says. */
function hasEnded({ runs }: SessionView, runId: string): boolean {
  const run = runs[runId];
  const root = run && runs[run.rootRunId];
  return [run, root].some((one) => one !== undefined && isTerminal(one.status));
}
