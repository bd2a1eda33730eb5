// The session's title; a click edits it. Enter saves, Escape cancels.
import { useEffect, useRef, useState } from "react";
import { Form } from "../ui/form.tsx";
import { useApp } from "../app-context.ts";
import { IconButton } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useMutation } from "../use-mutation.ts";
import styles from "./top-bar.module.css";
import { isComposing } from "../keys/composing.ts";

type SessionTitleProps = { sessionId: string; title: string; raw: string };

export function SessionTitle({ sessionId, title, raw }: SessionTitleProps) {
  const [renaming, setRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const goBack = useRef(false); // the focus was in the field that is closed now
  useEffect(() => {
    if (!renaming && goBack.current) button.current?.focus();
    goBack.current = false;
  }, [renaming]);
  if (renaming) {
    const close = (hadFocus: boolean) => {
      goBack.current = hadFocus;
      setRenaming(false);
    };
    return <NameForm sessionId={sessionId} raw={raw} onClose={close} />;
  }
  return (
    <h1 className={styles.title} title={title}>
      <button
        ref={button}
        type="button"
        className={styles.rename}
        aria-label={`${title}. Rename`}
        onClick={() => setRenaming(true)}
      >
        {title}
      </button>
    </h1>
  );
}

type NameFormProps = { sessionId: string; raw: string; onClose: (hadFocus: boolean) => void };

function NameForm({ sessionId, raw, onClose }: NameFormProps) {
  const { api, refreshSessions } = useApp();
  const command = useMutation();
  const form = useRef<HTMLFormElement>(null);
  const [text, setText] = useState(raw);
  const leave = () => {
    const active = document.activeElement;
    onClose(active === document.body || (form.current?.contains(active) ?? false));
  };
  const save = () => {
    const wanted = text.trim();
    if (wanted === "" || wanted === raw) return leave();
    command.send(
      wanted,
      () => api.updateTitle(sessionId, wanted),
      () => {
        leave();
        refreshSessions();
      },
    );
  };
  return (
    <Form ref={form} className={styles.renaming} onSubmit={save}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press that opened it was for this field
        autoFocus
        className="input flex-1 min-w-0"
        aria-label="Name of the session"
        value={text}
        maxLength={500}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          leave();
        }}
      />
      <IconButton tone="plain" type="submit" icon="check" label="Rename" disabled={command.busy} />
      <IconButton icon="close" label="Keep the name" onClick={leave} />
      <Problem text={command.problem} />
    </Form>
  );
}
