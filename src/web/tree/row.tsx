import { memo } from "react";
import { CompareButton } from "../../features/compare/web/button.tsx";
import { duration, elapsed } from "../text/format.ts";
import { ToneDot } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { useNow } from "../ui/use-now.ts";
import { useSource } from "../session/use-session.ts";
import { factsOf } from "./labels.ts";
import type { Mark, TreeNode } from "./node.ts";
import type { TreeRow } from "./rows.ts";
import styles from "./tree.module.css";
import type { TreeHandle } from "./use-tree.ts";

export type TreeRowProps = {
  row: TreeRow;
  index: number;
  start: number;
  current: boolean;
  selected: boolean;
  tree: TreeHandle;
};

export function TreeRowView(props: TreeRowProps) {
  const { row, index, start, current, selected, tree } = props;
  const { node, level, position, siblings, open } = row;
  const { state, dim } = factsOf(node);
  const fold = () => {
    if (open !== null) tree.setFolds(new Map([...tree.folds, [node.key, !open]]));
  };
  return (
    // The tree itself answers keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="treeitem"
      tabIndex={current ? 0 : -1}
      className={styles.row}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={open ?? undefined}
      aria-selected={selected}
      data-kind={node.source.kind === "item" ? node.source.item.kind : node.source.kind}
      data-seq={node.seq ?? undefined}
      data-status={state}
      data-mark={node.mark ?? undefined}
      data-dim={dim || undefined}
      style={{
        transform: `translateY(${start}px)`,
        paddingLeft: `calc(${level - 1} * var(--indent))`,
      }}
      onFocus={() => {
        if (!current) tree.moveTo(index);
      }}
      onClick={() => {
        tree.moveTo(index);
        tree.choose(node);
      }}
      onDoubleClick={fold}
    >
      <Chevron open={open} onFold={fold} />
      <RowText node={node} />
      {node.source.kind === "run" && (
        <CompareButton
          runId={node.runId}
          tone="quiet"
          tabIndex={-1}
          aria-label="Compare"
          title="Compare with another run"
        />
      )}
    </div>
  );
}

/** For pointers; the keyboard uses arrow keys. */
function Chevron({ open, onFold }: { open: boolean | null; onFold: () => void }) {
  if (open === null) return <span className={styles.chevron} aria-hidden="true" />;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <span
      className={styles.chevron}
      aria-hidden="true"
      data-open={open}
      onClick={(event) => {
        event.stopPropagation();
        onFold();
      }}
    >
      <Icon name="right" />
    </span>
  );
}

const MARK: Record<Mark, string> = { waiting: "Waits for a person", problem: "A problem" };

const RowText = memo(function RowText({ node }: { node: TreeNode }) {
  const { tone, state, icon, label, note, startedAt, durationMs, going } = factsOf(node);
  return (
    <>
      <ToneDot tone={tone} title={state} pulse={tone === "busy"} />
      <span className={styles.icon}>
        <Icon name={icon} />
      </span>
      <span className={styles.label} title={label}>
        {label}
      </span>
      <span className="visually-hidden">{state}</span>
      {note !== null && note !== "" && <span className={styles.note}>{note}</span>}
      {node.mark !== null && (
        <span className={styles.mark} data-mark={node.mark} title={MARK[node.mark]}>
          <Icon name={node.mark === "waiting" ? "question" : "alert"} />
          {node.mark === "waiting" && <span aria-hidden="true">{state}</span>}
        </span>
      )}
      <span className={styles.time}>
        {durationMs !== null && duration(durationMs)}
        {durationMs === null && going && startedAt !== null && <Elapsed since={startedAt} />}
      </span>
    </>
  );
});

/** Up to now, or to the shown moment. */
function Elapsed({ since }: { since: number }) {
  const { at, recording } = useSource();
  const now = useNow(1_000);
  const moment = at === null ? now : (recording.at(at)?.created_at ?? since) * 1_000;
  return <>{elapsed(moment - since * 1_000)}</>;
}
