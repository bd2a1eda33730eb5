// A subagent: a run of its own, shown inside the call that asked for it. Opens by itself while it works
// or needs someone.
import { useContext, useState } from "react";
import { isTerminal } from "../../protocol/run-status.ts";
import type { ToolItem } from "../../protocol/run-items.ts";
import { RUN_STATUS } from "../session/run-status-label.ts";
import { useRun } from "../session/use-session.ts";
import { visibleText } from "../../protocol/visible-text.ts";
import { ItemContext } from "../transcript/item-context.ts";
import { Badge } from "../ui/badge.tsx";
import styles from "./tool-card.module.css";

export function DelegateBody({ item }: { item: ToolItem }) {
  const childRunId = item.childRunId;
  if (childRunId === null) return null;
  return <Subagent runId={childRunId} summary={item.output?.head ?? ""} />;
}

function Subagent({ runId, summary }: { runId: string; summary: string }) {
  const status = useRun(runId, (run) => run.status);
  const count = useRun(runId, (run) => run.items.length) ?? 0;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const working = status !== undefined && !isTerminal(status);
  const open = chosen ?? working;
  const ItemView = useContext(ItemContext);
  return (
    <div className={styles.subagent} data-status={status ?? "queued"}>
      <div className={styles.subhead}>
        {working && status !== "running" && (
          <Badge tone={RUN_STATUS[status].tone} status={status} dot>
            {RUN_STATUS[status].label}
          </Badge>
        )}
        {!open && summary !== "" && <p className={styles.summary}>{visibleText(summary)}</p>}
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          onClick={() => setChosen(!open)}
        >
          {open ? "Fold" : "Show its run"}
        </button>
      </div>
      {open && ItemView && (
        <div className={styles.nested}>
          {Array.from({ length: Math.max(0, count - 1) }, (_, index) => (
            // The first item is the task it was given; the raw arguments show it.
            <ItemView key={index + 1} runId={runId} index={index + 1} />
          ))}
        </div>
      )}
    </div>
  );
}
