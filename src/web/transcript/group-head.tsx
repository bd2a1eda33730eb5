// The head of a group: a summary of its calls, or the running one.
import { memo, useContext } from "react";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { select } from "../session/selection.ts";
import { duration, plural } from "../text/format.ts";
import { displayOf } from "../../kernel/state/tools/display.ts";
import { Icon } from "../ui/icon.tsx";
import { FoldsContext, groupKey } from "./folds.ts";
import styles from "./group.module.css";
import { groupTitle, runningCall } from "./group-title.ts";
import type { Group } from "./groups.ts";
import { SelectedContext } from "./selected-place.ts";

type GroupHeadProps = { runId: string; group: Group; open: boolean };

export const GroupHead = memo(function GroupHead({ runId, group, open }: GroupHeadProps) {
  const folds = useContext(FoldsContext);
  const selected = useContext(SelectedContext);
  const { calls, from, to } = group;
  const running = runningCall(calls);
  const toggle = () => {
    const within = selected.some(
      (place) => place.runId === runId && place.index >= from && place.index < to,
    );
    if (open && within) select(null); // what is selected is never folded away
    for (const { callId } of calls) {
      if (folds.states().has(groupKey(callId))) folds.set(groupKey(callId), !open);
    }
    folds.set(groupKey(calls[0]?.callId ?? ""), !open);
  };
  return (
    <div data-status={running ? "running" : "done"}>
      <button
        type="button"
        className={styles.head}
        aria-expanded={open}
        data-group={calls.length}
        onClick={toggle}
      >
        <Icon name={running ? displayOf(running.name).icon : "list"} />
        <span className={styles.title}>{visibleLine(groupTitle(calls))}</span>
        {running && <span className={styles.pulse} aria-hidden="true" />}
        <span className="flex-none hint">
          {running ? plural(calls.length, "call") : tookOf(calls)}
        </span>
      </button>
    </div>
  );
});

function tookOf(calls: readonly ToolItem[]): string {
  return duration(calls.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0));
}
