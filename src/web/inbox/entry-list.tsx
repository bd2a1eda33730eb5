// The list of inbox entries. Single letters answer the focused entry, because nobody types here.
import type { KeyboardEvent } from "react";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useActions } from "../keys/actions.ts";
import { Icon } from "../ui/icon.tsx";
import { Time } from "../ui/time.tsx";
import { navigate } from "../use-route.ts";
import type { Entry } from "./entries.ts";
import styles from "./inbox-page.module.css";

type EntryListProps = {
  entries: readonly Entry[];
  selected: string | null;
  onSelect: (key: string) => void;
};

const LETTERS: Readonly<Record<string, string>> = { a: "approval.once", d: "approval.deny" };

export function EntryList({ entries, selected, onSelect }: EntryListProps) {
  const answer = useAnswerByLetter();
  return (
    <ul className="min-h-0 plain-list scroll-y">
      {entries.map((entry) => (
        <li key={entry.key}>
          <button
            type="button"
            className={styles.entry}
            data-entry={entry.key}
            data-kind={entry.kind === "request" ? entry.request.kind : entry.trouble.status}
            aria-current={entry.key === selected}
            onClick={() => onSelect(entry.key)}
            onKeyDown={(event) => {
              openOnEnter(event, entry);
              if (entry.key === selected) answer(event);
            }}
          >
            <Icon name={entry.icon} />
            <span className="bold">{entry.word}</span>
            <span className="hint">
              <Time at={entry.at} />
            </span>
            <span className={styles.text}>{visibleLine(entry.text.slice(0, 400))}</span>
            <span className={styles.title}>{visibleLine(entry.title) || "Untitled session"}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function useAnswerByLetter(): (event: KeyboardEvent) => void {
  const actions = useActions();
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = actions.findLast(({ id }) => id === LETTERS[event.key]);
    if (!action || action.unavailable) return;
    event.preventDefault();
    action.run(event.nativeEvent);
  };
}

function openOnEnter(event: KeyboardEvent, entry: Entry): void {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const { session_id: sessionId, run_id: runId } =
    entry.kind === "request" ? entry.request : entry.trouble;
  navigate({ page: "session", sessionId, runId });
}
