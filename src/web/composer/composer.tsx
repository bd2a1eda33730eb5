// Where a person speaks. Enter sends, Shift+Enter breaks the line, Esc stops. It works offline: words
// go to the outbox first and to the server when it answers.
import { useState, type KeyboardEvent } from "react";
import { useApp } from "../app-context.ts";
import { newId } from "../new-id.ts";
import { Button } from "../ui/button.tsx";
import styles from "./composer.module.css";
import { ModeChoice, type Mode } from "./mode-choice.tsx";
import { StopButton } from "./stop-button.tsx";
import { useDraft } from "./use-draft.ts";
import { useStop } from "./use-stop.ts";
import { useActiveStatus } from "./use-active-status.ts";

type ComposerProps = { sessionId: string; activeRunId: string | null };

export function Composer({ sessionId, activeRunId }: ComposerProps) {
  const { outbox } = useApp();
  const [mode, setMode] = useState<Mode>("queue");
  const status = useActiveStatus(activeRunId);
  const { stop, stopping, problem } = useStop(activeRunId, status);
  const running = activeRunId !== null;

  const send = (text: string) =>
    outbox.add({
      messageId: newId("msg"),
      sessionId,
      text,
      target: activeRunId === null ? null : { runId: activeRunId, mode },
    });
  return (
    <MessageForm
      place={sessionId}
      placeholder={running ? PLACEHOLDER[mode] : "Message"}
      onSend={send}
      {...(running && { onEscape: stop })}
      note={problem}
    >
      {running && (
        <>
          <ModeChoice mode={mode} onChange={setMode} />
          <StopButton stopping={stopping} onStop={stop} />
        </>
      )}
    </MessageForm>
  );
}

const PLACEHOLDER: Record<Mode, string> = {
  queue: "Message for when this run is over",
  steer: "Message for the run that is going on",
};

export type MessageFormProps = {
  place: string;
  placeholder: string;
  onSend: (text: string) => void;
  onEscape?: () => void;
  note?: string | null;
  autoFocus?: boolean;
  children?: React.ReactNode;
};

export function MessageForm(props: MessageFormProps) {
  const { place, placeholder, onSend, onEscape, note, children } = props;
  const [text, setText] = useDraft(place);
  const empty = text.trim() === "";
  const send = () => {
    if (empty) return;
    onSend(text.trim());
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return; // Enter chooses a character, it does not send
    if (event.key === "Escape") onEscape?.();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className={styles.box}>
        <textarea
          id="composer"
          className={styles.field}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label="Message"
          aria-describedby="composer-keys"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className={styles.actions}>
          <span id="composer-keys" className={styles.keys}>
            Enter sends · Shift+Enter new line{onEscape && " · Esc stops"}
          </span>
          {note && (
            <span className={styles.note} role="alert">
              {note}
            </span>
          )}
          {children}
          <Button
            type="submit"
            tone="primary"
            size="icon"
            icon="send"
            aria-label="Send"
            disabled={empty}
          />
        </div>
      </div>
    </form>
  );
}
