// How full the context window is, as the provider counted the last turn.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { get } from "../../kernel/state/vector.ts";
import { Badge } from "../ui/badge.tsx";
import { percent } from "../text/format.ts";
import { useSession } from "./use-session.ts";

const NEARLY_FULL = 0.8;

export function ContextBadge() {
  const context = useSession(contextOf);
  if (!context || context.window === null) return null;
  const part = context.tokens / context.window;
  const counts = `${context.tokens.toLocaleString("en")} of ${context.window.toLocaleString("en")} tokens`;
  return (
    <Badge
      tone={part >= NEARLY_FULL ? "warning" : "neutral"}
      status="context"
      title={`The model’s window: ${counts} used by the last turn. It is compacted before it is full.`}
    >
      Context {percent(part)}
    </Badge>
  );
}

/** From the newest run with a model call. Null after a compaction until the next turn. */
function contextOf({ session, runs }: SessionView): RunState["context"] {
  for (let at = session.runs.length - 1; at >= 0; at -= 1) {
    const run = runs[get(session.runs, at)?.runId ?? ""];
    if (run?.depth !== 0) continue;
    if (run.context || run.compaction) return run.context;
  }
  return null;
}
