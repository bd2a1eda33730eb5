// Keys of the inbox: next, previous, dismiss.
import type { Trouble } from "../../kernel/api/records/records.ts";
import { useAction } from "../keys/actions.ts";
import type { Entry } from "./entries.ts";

type InboxKeys = {
  entries: readonly Entry[];
  selected: Entry | null;
  onSelect: (key: string) => void;
  onDismiss: (trouble: Trouble) => void;
};

export function useInboxKeys({ entries, selected, onSelect, onDismiss }: InboxKeys): void {
  const go = (step: 1 | -1) => {
    const at = entries.findIndex(({ key }) => key === selected?.key);
    const next = entries[at < 0 ? 0 : Math.max(0, Math.min(entries.length - 1, at + step))];
    if (!next) return;
    onSelect(next.key);
    document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(next.key)}"]`)?.focus();
  };
  const none = entries.length === 0 ? "You’re all caught up." : null;
  useAction({
    id: "inbox.next",
    title: "Next in the inbox",
    section: "Go to",
    keys: ["j"],
    unavailable: none,
    run: () => go(1),
  });
  useAction({
    id: "inbox.previous",
    title: "Previous in the inbox",
    section: "Go to",
    keys: ["k"],
    unavailable: none,
    run: () => go(-1),
  });
  useAction({
    id: "inbox.dismiss",
    title: "Dismiss",
    section: "Run",
    keys: ["e"],
    unavailable: selected?.kind === "trouble" ? null : "Only what has ended can be dismissed.",
    run: () => {
      if (selected?.kind === "trouble") onDismiss(selected.trouble);
    },
  });
}
