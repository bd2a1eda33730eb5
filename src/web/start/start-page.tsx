// The first screen: what this is, the demo one press away, and how to bring a model. With sessions there
// it is simply where the next one begins.
import { useEffect, useState } from "react";
import { useApp } from "../app-context.ts";
import { MessageForm } from "../composer/composer.tsx";
import { newId } from "../new-id.ts";
import { PlainTitle, TopBar } from "../session/top-bar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useOutboxEntries } from "../use-outbox.ts";
import { navigate } from "../use-route.ts";
import { BringModel } from "./bring-model.tsx";
import styles from "./start-page.module.css";

const DEMO_MESSAGE = "Show me what Quarterdeck does";
const DEMO_MODEL = "demo/tour";

export function StartPage() {
  const { sessions, status } = useApp();
  const { begin, waiting, problem } = useBegin();
  useEffect(() => {
    document.title = "Quarterdeck";
  }, []);
  const first = sessions?.length === 0;
  return (
    <>
      <TopBar title={<PlainTitle text="New session" />} />
      <div className={styles.page} data-page="start">
        <div className={styles.column}>
          <span className={styles.mark}>
            <Icon name="wheel" />
          </span>
          <h2 className={styles.title}>{first ? "Welcome aboard" : "What should be done?"}</h2>
          <p className={styles.lead}>
            Quarterdeck runs AI agents and lets you watch, steer and trust them. Every run is an
            append-only journal: kill any process at any moment, and the same run goes on.
          </p>
          <div className={styles.demo}>
            <Button
              tone="primary"
              size="large"
              icon="bolt"
              disabled={waiting}
              onClick={() =>
                begin(DEMO_MESSAGE, status?.model.demo === false ? DEMO_MODEL : undefined)
              }
            >
              {waiting ? "Starting…" : "Start the demo"}
            </Button>
            <span className={styles.hint}>
              Half a minute, offline, no key: a scripted model with real tools.
            </span>
          </div>
          {problem !== null && (
            <p className={styles.problem} role="alert">
              {problem}
            </p>
          )}
          <BringModel />
        </div>
      </div>
      <MessageForm place="new" placeholder="Message to start a new session" onSend={begin} />
    </>
  );
}

/** The session's id is chosen here, so a start that is sent twice is still one session and one run. */
function useBegin() {
  const { outbox } = useApp();
  const [messageId, setMessageId] = useState<string | null>(null);
  const entry = useOutboxEntries(outbox).find((known) => known.messageId === messageId);
  const begin = (text: string, model?: string) => {
    const id = newId("msg");
    const message = { messageId: id, sessionId: newId("ses"), text, target: null };
    outbox.add({ ...message, ...(model !== undefined && { model }) });
    setMessageId(id);
  };
  useEffect(() => {
    if (entry?.status !== "sent") return;
    outbox.discard(entry.messageId);
    navigate({ page: "session", sessionId: entry.sessionId });
  }, [entry, outbox]);
  return {
    begin,
    waiting: entry?.status === "sending" || entry?.status === "waiting",
    problem: entry?.problem ?? null,
  };
}
