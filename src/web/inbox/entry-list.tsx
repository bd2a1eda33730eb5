// The entries of the inbox, one under the other. Enter opens the session of one.
import type { KeyboardEvent } from "react";
import { visibleLine } from "../../protocol/visible-text.ts";
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

export function EntryList({ entries, selected, onSelect }: EntryListProps) {
  return (
    <ul className={styles.list}>
      {entries.map((entry) => (
        <li key={entry.key}>
          <button
            type="button"
            className={styles.entry}
            data-entry={entry.key}
            data-kind={entry.kind === "request" ? entry.request.kind : entry.trouble.status}
            aria-current={entry.key === selected}
            onClick={() => onSelect(entry.key)}
            onKeyDown={(event) => openOnEnter(event, entry)}
          >
            <Icon name={entry.icon} />
            <span className={styles.word}>{entry.word}</span>
            <span className={styles.time}>
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

function openOnEnter(event: KeyboardEvent, entry: Entry): void {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const { session_id: sessionId, run_id: runId } =
    entry.kind === "request" ? entry.request : entry.trouble;
  navigate({ page: "session", sessionId, runId });
}
