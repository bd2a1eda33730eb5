// A command that goes on behind its call: whether it still does.
import type { ToolItem } from "../../protocol/run-items.ts";
import { isTerminal } from "../../protocol/run-status.ts";
import { useRun } from "../session/use-session.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import styles from "./tool-card.module.css";

export function BackgroundProcess({ item, runId }: { item: ToolItem; runId: string }) {
  const process = useRun(runId, ({ processes }) =>
    processes.find(({ callId }) => callId === item.callId),
  );
  const over = useRun(runId, ({ status }) => isTerminal(status)) ?? false;
  if (!process) return null;
  const status = process.status === "running" && over ? "gone" : process.status;
  const code = process.exitCode === null ? "" : ` with ${process.exitCode}`;
  const words = {
    running: "Running in the background",
    exited: `Ended${code}`,
    gone: "Ended with its run",
  };
  return (
    <p className={styles.process} data-status={status}>
      <span className={styles.light} aria-hidden="true" />
      {words[status]} · {visibleLine(process.processId)}
    </p>
  );
}
