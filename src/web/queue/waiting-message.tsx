// One queued message. Its edited text is kept until the server has accepted it.
import { useEffect, useRef, type KeyboardEvent } from "react";
import { Form } from "../ui/form.tsx";
import { useApp } from "../app-context.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { plural } from "../text/format.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation, type Mutation } from "../use-mutation.ts";
import type { Queued } from "./unread.ts";
import styles from "./waiting.module.css";
import { isComposing } from "../keys/composing.ts";

/** The position in the queue; a steer has none, because the next step reads it. */
export type Place = { readonly index: number; readonly order: readonly string[] };
type WaitingMessageProps = {
  message: Queued;
  place?: Place;
  draft: string | null; // what it is being changed to
  onDraft: (text: string | null) => void;
};

export function WaitingMessage({ message, place, draft, onDraft }: WaitingMessageProps) {
  const { api } = useApp();
  const command = useMutation();
  const { runId, messageId } = message;
  const change = (text: string | null) =>
    command.send(
      { messageId, text },
      (command_id) => api.editMessage({ runId, messageId }, { text, command_id }),
      () => onDraft(null),
    );
  const short = visibleLine(message.text).slice(0, 60);
  return (
    <li className={styles.message} aria-label={short}>
      {draft === null ? (
        <>
          <p className={styles.text}>
            {message.text}
            <Files of={message.attachments} />
          </p>
          <span className="flex flex-none">
            {place && <Moves message={message} place={place} command={command} />}
            {!message.command && (
              <IconButton
                icon="pencil"
                label="Edit"
                title="Edit"
                disabled={command.busy}
                onClick={() => onDraft(message.text)}
              />
            )}
            <IconButton
              icon="close"
              label="Take back"
              title="Take back"
              disabled={command.busy}
              onClick={() => change(null)}
            />
          </span>
        </>
      ) : (
        <Editor
          text={draft}
          busy={command.busy}
          onChange={onDraft}
          onSave={() => change(draft.trim())}
          onCancel={() => {
            onDraft(null);
            command.reset();
          }}
        />
      )}
      <Problem text={command.problem} />
    </li>
  );
}

function Files({ of }: { of: Queued["attachments"] }) {
  if (of.length === 0) return null;
  const names = of.map(({ name }) => visibleLine(name)).join(", ");
  return (
    <span className={styles.files} title={names}>
      <Icon name="clip" />
      {plural(of.length, "file")}
    </span>
  );
}

type MovesProps = { message: Queued; place: Place; command: Mutation };

function Moves({ message: { runId }, place: { index, order }, command }: MovesProps) {
  const { api } = useApp();
  const move = (before: string | null) =>
    command.send({ runId, before, order }, (command_id) =>
      api.moveQueued(runId, { before, command_id }),
    );
  if (order.length < 2) return null;
  return (
    <>
      <IconButton
        icon="send"
        label="Move up"
        title="Move up"
        disabled={command.busy || index === 0}
        onClick={() => move(order[index - 1] ?? null)}
      />
      <IconButton
        icon="down"
        label="Move down"
        title="Move down"
        disabled={command.busy || index === order.length - 1}
        onClick={() => move(order[index + 2] ?? null)}
      />
    </>
  );
}

type EditorProps = {
  text: string;
  busy: boolean;
  onChange: (text: string) => void;
  onSave: () => void;
  onCancel: () => void;
};

function Editor({ text, busy, onChange, onSave, onCancel }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const empty = text.trim() === "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape") onCancel();
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    if (!empty) onSave();
  };
  return (
    <Form
      className={styles.editor}
      onSubmit={() => {
        if (!empty) onSave();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label="Queued message"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="flex flex-none">
        <Button type="submit" disabled={busy || empty}>
          Save
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </span>
    </Form>
  );
}
