// Messages that are on their way: shown at once, marked until the journal holds them.
import { useContext } from "react";
import type { OutboxEntry } from "../../client/outbox.ts";
import type { SessionView } from "../../client/session-store.ts";
import { toArray } from "../../protocol/vector.ts";
import { useApp } from "../app-context.ts";
import { SessionContext } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import { useOutboxEntries } from "../use-outbox.ts";
import styles from "./items.module.css";

const LABEL: Record<OutboxEntry["status"], string> = {
  sending: "Sending…",
  waiting: "Not sent yet; goes out as soon as the server answers",
  sent: "Sent",
  refused: "Not accepted",
};

export function Unsent({ sessionId }: { sessionId: string }) {
  const { outbox } = useApp();
  const store = useContext(SessionContext);
  const entries = useOutboxEntries(outbox).filter((entry) => entry.sessionId === sessionId);
  const view = store?.getState();
  const waiting = entries.filter(({ messageId }) => !view || !isInJournal(view, messageId));
  if (waiting.length === 0) return null;
  return (
    <ul className={styles.unsent}>
      {waiting.map((entry) => (
        <li key={entry.messageId} className={styles.user} data-status={entry.status}>
          <span className={styles.label}>
            {LABEL[entry.status]}
            {entry.status === "refused" && `: ${entry.problem ?? ""}`}
          </span>
          <p className={styles.words}>{entry.text}</p>
          {entry.status !== "sending" && entry.status !== "sent" && (
            <Button tone="quiet" icon="close" onClick={() => outbox.discard(entry.messageId)}>
              Discard
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Looks only while something is unsent, and from the end: that is where it would be. */
function isInJournal({ runs }: SessionView, messageId: string): boolean {
  return Object.values(runs)
    .toReversed()
    .some((run) =>
      toArray(run.items).some((item) => item.kind === "user" && item.messageId === messageId),
    );
}
