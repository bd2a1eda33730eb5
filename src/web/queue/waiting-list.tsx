// The queue above the message field. Messages can be edited, moved and deleted; the server says if it was too
// late.
import { useMemo, useState } from "react";
import { useLive } from "../session/use-session.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { queuedOf, unreadSteers, type Queued } from "./unread.ts";
import { WaitingMessage, type Place } from "./waiting-message.tsx";
import styles from "./waiting.module.css";

type WaitingListProps = { activeRunId: string | null };

export function WaitingList({ activeRunId }: WaitingListProps) {
  const run = useLive(({ runs: all }) => all[activeRunId ?? ""]);
  const session = useLive((view) => view.session);
  const runs = useLive((view) => view.runs);
  const steers = useMemo(() => (run ? unreadSteers(run) : []), [run]);
  const queued = useMemo(() => queuedOf({ session, runs }), [session, runs]);
  const [drafts, setDrafts] = useState<Drafts>({});
  const write = (messageId: string, text: string | null) =>
    setDrafts(({ [messageId]: _old, ...rest }) =>
      text === null ? rest : { ...rest, [messageId]: text },
    );
  const order = queued.map(({ runId }) => runId);
  const here = new Set([...steers, ...queued].map(({ messageId }) => messageId));
  const late = Object.keys(drafts).filter((messageId) => !here.has(messageId));
  if (here.size === 0 && late.length === 0) return null;
  const row = (message: Queued, place?: Place) => (
    <WaitingMessage
      key={message.messageId}
      message={message}
      draft={drafts[message.messageId] ?? null}
      onDraft={(text) => write(message.messageId, text)}
      {...(place && { place })}
    />
  );
  return (
    <section className={styles.waiting} aria-label="Queued messages">
      <div className={styles.inner}>
        {late.map((messageId) => (
          <TooLate
            key={messageId}
            text={drafts[messageId] ?? ""}
            onDiscard={() => write(messageId, null)}
          />
        ))}
        {steers.length > 0 && (
          <>
            <h2 className={styles.head}>Sending to the agent</h2>
            <ul className="plain-list">
              {steers.map(({ messageId, text, attachments }) =>
                row({ runId: activeRunId ?? "", messageId, text, attachments, command: false }),
              )}
            </ul>
          </>
        )}
        {queued.length > 0 && (
          <>
            <h2 className={styles.head}>{queued.length} queued</h2>
            <ol className="plain-list">
              {queued.map((message, index) => row(message, { index, order }))}
            </ol>
          </>
        )}
      </div>
    </section>
  );
}

/** Unsaved edits by message, kept here because a message may be read meanwhile. */
type Drafts = Readonly<Record<string, string>>;

function TooLate({ text, onDiscard }: { text: string; onDiscard: () => void }) {
  return (
    <div className={styles.message} role="alert">
      <p className={styles.text}>
        <strong>Too late to change it: it was read or deleted.</strong> You wrote: {text}
      </p>
      <CopyButton text={text} what="what you wrote" />
      <Button tone="quiet" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  );
}
