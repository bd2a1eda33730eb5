// A subagent inside the call that started it. Opens by itself while it works or needs someone.
import { useContext } from "react";
import { isTerminal } from "../../kernel/state/run/status.ts";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";
import { select } from "../session/selection.ts";
import { useRun } from "../session/use-session.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { useFold } from "../transcript/folds.ts";
import { ItemsContext } from "../transcript/item-context.ts";
import { SelectedContext } from "../transcript/selected-place.ts";
import { Badge } from "../ui/badge.tsx";
import styles from "./card.module.css";

export function DelegateBody({ item }: { item: ToolItem }) {
  const childRunId = item.childRunId;
  if (childRunId === null) return null;
  return <Subagent runId={childRunId} summary={item.output?.head ?? ""} />;
}

function Subagent({ runId, summary }: { runId: string; summary: string }) {
  const status = useRun(runId, (run) => run.status);
  const [chosen, setChosen] = useFold<boolean | null>(`subagent ${runId}`, null);
  const working = status !== undefined && !isTerminal(status);
  const waiting = working && status !== "running" && status !== "queued";
  const isSelected = useContext(SelectedContext).some((place) => place.runId === runId);
  // Never collapsed while it waits for somebody or is selected.
  const open = waiting || isSelected || (chosen ?? working);
  const drawItems = useContext(ItemsContext);
  return (
    <div className={styles.subagent} data-status={status ?? "queued"}>
      <div className="flex gap-l items-baseline">
        {working && status !== "running" && (
          <Badge tone={RUN_STATUS[status].tone} status={status} dot>
            {RUN_STATUS[status].label}
          </Badge>
        )}
        {!open && summary !== "" && (
          <p className="flex-1 min-w-0 pre-wrap">{visibleText(summary)}</p>
        )}
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          onClick={() => {
            if (open && isSelected) select(null);
            setChosen(!open);
          }}
        >
          {open ? "Fold" : "Show its run"}
        </button>
      </div>
      {open && (
        <div className={styles.nested}>
          {/* The first item is its task, which the arguments already show. */}
          {drawItems(runId, 1)}
        </div>
      )}
    </div>
  );
}
