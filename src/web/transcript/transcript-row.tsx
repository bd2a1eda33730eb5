// One row: an item, the head of a group, or the end of a run.
import { memo, type ComponentType, useContext } from "react";
import type { Item, ReasoningItem, TextItem, NoticeItem } from "../../kernel/state/run/items.ts";
import { useItem, useRun } from "../session/use-session.ts";
import { ToolCard } from "../tools/card.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { GroupHead } from "./group-head.tsx";
import { ItemFrame } from "./item-frame.tsx";
import type { Row } from "./rows.ts";
import { RunEnd } from "./run-end.tsx";
import { UserMessage } from "./user-message.tsx";
import { select } from "../session/selection.ts";
import { get } from "../../kernel/state/vector.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { undoneKey, useFold } from "./folds.ts";
import styles from "./items.module.css";
import { SelectedContext } from "./selected-place.ts";
import { duration } from "../text/format.ts";
import { harmless } from "../text/harmless.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import { RequestCard } from "../requests/request-card.tsx";
import { Time } from "../ui/time.tsx";

// A notice of the run: recovered, failed, compacted, needs an answer.
const ICON: Record<NoticeItem["tone"], IconName> = {
  info: "wheel",
  warning: "bolt",
  error: "alert",
};

function Notice({ item, runId }: { item: NoticeItem; runId: string }) {
  if (item.request) return <RequestCard request={item.request} runId={runId} tool={null} />;
  const text =
    item.code === "recovery"
      ? "The process crashed. The run resumed automatically."
      : visibleText(item.text);
  if (item.code === "compaction") return <CompactionNotice item={item} />;
  return (
    <p className={styles.notice} data-status={item.tone} data-code={item.code}>
      <Icon name={item.code === "goal" ? "flag" : ICON[item.tone]} />
      <span>{text}</span>
      <span className="ml-auto small nowrap">
        <Time at={item.at} />
      </span>
    </p>
  );
}

// From here on the model gets a summary; the messages stay above.
function CompactionNotice({ item }: { item: NoticeItem }) {
  return (
    <div className={styles.compaction} data-status={item.tone} data-code={item.code}>
      <details>
        <summary className={styles.notice}>
          <Icon name="squeeze" />
          <span>{visibleText(item.text)} The original stays above.</span>
          <span className="ml-auto small nowrap">
            <Time at={item.at} />
          </span>
        </summary>
        <div className={styles.summary}>
          <p>From here on the model reads this instead:</p>
          <LazyMarkdown text={item.detail ?? ""} />
        </div>
      </details>
    </div>
  );
}

export type ItemProps<Kind extends Item["kind"]> = {
  readonly item: Extract<Item, { kind: Kind }>;
  readonly runId: string;
};
type Views = { [Kind in Item["kind"]]: ComponentType<ItemProps<Kind>> };

const VIEWS: Views = {
  user: UserMessage,
  text: AssistantText,
  reasoning: Thinking,
  tool: ToolCard,
  notice: Notice,
};

export function TranscriptRow({ row }: { row: Row | undefined }) {
  if (!row) return null;
  if (row.kind === "end") return <RunEnd runId={row.runId} />;
  if (row.kind === "undone") return <UndoneRun runId={row.runId} />;
  if (row.kind === "group") {
    return <GroupHead runId={row.runId} group={row.group} open={row.open} />;
  }
  return <TranscriptItem runId={row.runId} index={row.index} />;
}

export const TranscriptItem = memo(function TranscriptItem({
  runId,
  index,
}: {
  runId: string;
  index: number;
}) {
  const item = useItem(runId, index);
  if (!item) return null;
  const View = VIEWS[item.kind] as ComponentType<{ item: Item; runId: string }>;
  return (
    <ItemFrame item={item} runId={runId} index={index}>
      <ErrorBoundary fallback={() => <p role="alert">This part cannot be shown.</p>}>
        <View item={item} runId={runId} />
      </ErrorBoundary>
    </ItemFrame>
  );
});

// An undone exchange: one line that expands.
function UndoneRun({ runId }: { runId: string }) {
  const first = useRun(runId, ({ items }) => get(items, 0));
  const isSelected = useContext(SelectedContext).some((place) => place.runId === runId);
  const [opened, setOpened] = useFold(undoneKey(runId), false);
  const isOpen = opened || isSelected;
  const said = first?.kind === "user" ? visibleLine(first.text) : "";
  const toggle = () => {
    if (isOpen && isSelected) select(null); // what is selected is never folded away
    setOpened(!isOpen);
  };
  return (
    <div>
      <button type="button" className={styles.undone} aria-expanded={isOpen} onClick={toggle}>
        Undone: {said}
      </button>
    </div>
  );
}

// The model's reasoning, collapsed, with its duration.
function Thinking({ item, runId }: { item: ReasoningItem; runId: string }) {
  const [open, setOpen] = useFold(`thought ${runId} ${item.reasoningId}`, false);
  if (item.text === "" && item.status === "done") return null; // hidden by the provider
  const took = item.durationMs === null ? "" : ` for ${duration(item.durationMs)}`;
  const status = item.superseded ? "superseded" : item.status;
  return (
    <details
      className={styles.thinking}
      data-status={status}
      open={open}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setOpen(currentTarget.open);
      }}
    >
      <summary>
        <Icon name="thought" />
        {item.status === "streaming" ? "Thinking…" : `Thought${took}`}
        {item.superseded && <span className="hint">interrupted</span>}
      </summary>
      <p className="pre-wrap" data-part="text">
        {harmless(item.text)}
      </p>
    </details>
  );
}

// An answer. The text of an interrupted turn is collapsed, because the next answer repeats it.
function AssistantText({ item, runId }: { item: TextItem; runId: string }) {
  const [open, setOpen] = useFold(`cut ${runId} ${item.messageId}`, false);
  const text = (
    <div data-part="text">
      <LazyMarkdown text={item.text} streaming={item.status === "streaming"} />
    </div>
  );
  if (!item.superseded) {
    return (
      <div className={styles.assistant} data-status={item.status}>
        {text}
      </div>
    );
  }
  return (
    <details
      className={styles.assistant}
      data-status="superseded"
      open={open}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setOpen(currentTarget.open);
      }}
    >
      <summary className="hint">Interrupted. The answer continues below.</summary>
      {text}
    </details>
  );
}
