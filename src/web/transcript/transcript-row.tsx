// One row: an item by its kind, the head of a group, or the end of a run.
import { memo, type ComponentType } from "react";
import type { Item } from "../../kernel/state/run/run-items.ts";
import { useItem } from "../session/use-session.ts";
import { ToolCard } from "../tools/tool-card.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { AssistantText } from "./assistant-text.tsx";
import { GroupHead } from "./group-head.tsx";
import { ItemFrame } from "./item-frame.tsx";
import { Notice } from "./notice.tsx";
import type { Row } from "./rows.ts";
import { RunEnd } from "./run-end.tsx";
import { UndoneRun } from "./undone-run.tsx";
import { Thinking } from "./thinking.tsx";
import { UserMessage } from "./user-message.tsx";

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
