// Unsent messages, shown until the journal has them.
import { useContext } from "react";
import type { OutboxEntry } from "../../kernel/client/outbox/outbox.ts";
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { toArray } from "../../kernel/state/vector.ts";
import { useApp } from "../app-context.ts";
import { LiveContext } from "../session/use-session.ts";
import { putBack } from "../composer/drafts.ts";
import { harmless } from "../text/harmless.ts";
import { Button } from "../ui/button.tsx";
import { useOutboxEntries } from "../use-outbox.ts";
import styles from "./items.module.css";

const LABEL: Record<OutboxEntry["status"], string> = {
  uploading: "Uploading its files…",
  sending: "Sending…",
  waiting: "Not sent yet; will be sent when the server is back",
  sent: "Sent",
  refused: "Not accepted",
};

export function Unsent({ sessionId }: { sessionId: string }) {
  const { outbox } = useApp();
  const store = useContext(LiveContext); // sent is sent, whatever moment is shown
  const entries = useOutboxEntries(outbox).filter((entry) => entry.sessionId === sessionId);
  const view = store?.getState();
  const waiting = entries.filter(({ messageId }) => !view || !isInJournal(view, messageId));
  const edit = (messageId: string) => {
    const { text, files = [] } = outbox.takeBack(messageId) ?? {};
    if (text !== undefined) putBack(sessionId, { text, files });
  };
  if (waiting.length === 0) return null;
  return (
    <ul className={styles.unsent}>
      {waiting.map((entry) => (
        <li key={entry.messageId} className={styles.user} data-status={entry.status}>
          <span className="hint">
            {LABEL[entry.status]}
            {entry.status === "refused" && `: ${entry.problem ?? ""}`}
          </span>
          <p className="pre-wrap">{harmless(entry.text)}</p>
          <UnsentFiles files={entry.files} />
          {entry.status !== "sending" && entry.status !== "sent" && (
            <span className={styles.actions}>
              <Button tone="quiet" icon="pencil" onClick={() => edit(entry.messageId)}>
                Edit
              </Button>
              <Button tone="quiet" icon="close" onClick={() => outbox.discard(entry.messageId)}>
                Discard
              </Button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function UnsentFiles({ files = [] }: { files: OutboxEntry["files"] | undefined }) {
  if (files.length === 0) return null;
  return <p className="hint">With {files.map(({ name }) => visibleLine(name)).join(", ")}</p>;
}

/** Searches from the end, where it would be. */
function isInJournal({ runs }: SessionView, messageId: string): boolean {
  return Object.values(runs)
    .toReversed()
    .some((run) =>
      toArray(run.items).some((item) => item.kind === "user" && item.messageId === messageId),
    );
}
