// A background command of a call: whether it still runs.
import { useMemo } from "react";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import type { ProcessState, RunState } from "../../kernel/state/run/state.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { values } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useRun } from "../session/use-session.ts";
import styles from "./card.module.css";
import { textArgument } from "../../kernel/state/tools/arguments.ts";
import { toolKind } from "../../kernel/state/tools/display.ts";

export function BackgroundProcess({ item, runId }: { item: ToolItem; runId: string }) {
  const process = useRun(runId, ({ processes }) =>
    processes.find(({ callId }) => callId === item.callId),
  );
  const ended = useRun(runId, (run) => (isTerminal(run.status) ? run : null)) ?? null;
  const withRun = useMemo(
    () => ended !== null && process !== undefined && endedWith(ended, process),
    [ended, process],
  );
  if (!process) return null;
  const status = withRun ? "gone" : process.status;
  const code = process.exitCode === null ? "" : ` with ${process.exitCode}`;
  const words = {
    running: "Running in the background",
    exited: `Ended${code}`,
    gone: "Ended with the run",
  };
  return (
    <p className={styles.process} data-status={status}>
      <span className={styles.light} aria-hidden="true" />
      {words[status]} · {visibleLine(process.processId)}
    </p>
  );
}

/** A run that ends kills its processes, which leaves no exit code. */
function endedWith(run: RunState, { status, exitCode, processId }: ProcessState): boolean {
  if (status === "running") return true;
  if (exitCode !== null) return false;
  for (const item of values(run.items)) {
    if (item.kind !== "tool" || toolKind(item.name) !== "process") continue;
    const isKill = textArgument(item, "action") === "kill";
    if (isKill && textArgument(item, "process_id") === processId) return false;
  }
  return true;
}
