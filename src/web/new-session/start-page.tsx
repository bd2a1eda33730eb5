// The start page: a new session, and how to connect a model. On a first visit the demo opens instead.
import { useEffect } from "react";
import { useApp } from "../app-context.ts";
import { MessageForm } from "../composer/composer.tsx";
import { OpenRecording } from "../../features/share/web/import-action.tsx";
import { PlainTitle, TopBar } from "../session/top-bar.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { BringModel } from "./bring-model.tsx";
import { useChosenModel } from "./chosen-model.ts";
import { DEMO_MESSAGE, DEMO_MODEL } from "./demo-session.ts";
import styles from "./start-page.module.css";
import { useBegin } from "./use-begin.ts";
import { useFirstRun } from "./use-first-run.ts";

export function StartPage() {
  const { sessions, status } = useApp();
  const { begin, waiting, problem } = useBegin();
  const firstRun = useFirstRun();
  const chosen = useChosenModel();
  useEffect(() => {
    document.title = "Quarterdeck";
  }, []);
  if (firstRun !== "no") return <Opening step={firstRun} />;
  const demo = () => begin(DEMO_MESSAGE, status?.model.demo === false ? DEMO_MODEL : undefined);
  return (
    <>
      <TopBar
        title={<PlainTitle text="New session" />}
        {...(chosen !== null && { model: chosen })}
      />
      <div className="flex-1 min-h-0 scroll-y" data-page="start">
        <div className={styles.column}>
          <span className={styles.mark}>
            <Icon name="wheel" />
          </span>
          <h2 className="title">
            {sessions?.length === 0 ? "Welcome aboard" : "What would you like to work on?"}
          </h2>
          <p className={styles.lead}>
            Run AI agents you can watch, steer and trust. Every run is recorded, so nothing is lost,
            even if a process crashes.
          </p>
          <div className={styles.demo}>
            <Button tone="primary" size="large" icon="bolt" disabled={waiting} onClick={demo}>
              {waiting ? "Starting…" : "Start the demo"}
            </Button>
            <span className="muted">
              30 seconds, works offline, no API key. The model is scripted; the tools are real.
            </span>
          </div>
          {problem !== null && (
            <p className="bad" role="alert">
              {problem}
            </p>
          )}
          <BringModel />
          <OpenRecording />
        </div>
      </div>
      <MessageForm
        place="new"
        placeholder="Message to start a new session"
        onSend={(text) => begin(text, chosen ?? undefined)}
        onSendFiles={({ text, files }) => begin(text, chosen ?? undefined, files)}
      />
    </>
  );
}

/** Shows nothing at first, because the answer arrives within milliseconds. */
function Opening({ step }: { step: "looking" | "opening" }) {
  return (
    <>
      <TopBar title={<PlainTitle text="Quarterdeck" />} />
      <p className={styles.opening} role="status" data-page="opening">
        {step === "opening" && "Opening the demo…"}
      </p>
    </>
  );
}
