// The frame of every item: selection mark, and a link that appears on hover.
import { useContext, type ReactNode } from "react";
import type { Item } from "../../kernel/state/run/items.ts";
import { Link } from "../ui/link.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { pathOf, useRoute, type Route } from "../use-route.ts";
import { select } from "../session/selection.ts";
import styles from "./item-frame.module.css";
import { SelectedContext } from "./selected-place.ts";

const NAME: Record<Item["kind"], string> = {
  user: "message",
  text: "answer",
  reasoning: "thought",
  tool: "call",
  notice: "notice",
};

type ItemFrameProps = { item: Item; runId: string; index: number; children: ReactNode };

export function ItemFrame({ item, runId, index, children }: ItemFrameProps) {
  const selected = useContext(SelectedContext).at(-1);
  const isSelected = selected?.runId === runId && selected.index === index;
  return (
    <div
      className={styles.item}
      data-item={item.kind}
      data-seq={item.seq}
      data-selected={isSelected || undefined}
    >
      {children}
      {!isHidden(item) && <ItemLink item={item} runId={runId} isSelected={isSelected} />}
    </div>
  );
}

/** Hidden reasoning has nothing to show. */
function isHidden(item: Item): boolean {
  return item.kind === "reasoning" && item.text === "" && item.status === "done";
}

type ItemLinkProps = { item: Item; runId: string; isSelected: boolean };

function ItemLink({ item: { kind, seq }, runId, isSelected }: ItemLinkProps) {
  const route = useRoute();
  if (route.page !== "session") return null;
  const to: Route = { page: "session", sessionId: route.sessionId, runId, seq };
  const words = isSelected ? `This ${NAME[kind]} is selected` : `Select this ${NAME[kind]}`;
  return (
    <div className={styles.link}>
      <Link
        to={to}
        aria-label={words}
        aria-current={isSelected || undefined}
        title={words}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return; // a tab of its own
          event.preventDefault();
          select(isSelected ? null : { runId, seq });
        }}
      >
        <Icon name="link" />
      </Link>
      {isSelected && <CopyButton text={`${location.origin}${pathOf(to)}`} what="link" />}
    </div>
  );
}
