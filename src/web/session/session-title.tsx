// The session's name; a press makes it a field. Enter keeps the new name, Escape the old one.
import { useState } from "react";
import { useApp } from "../app-context.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import { useCommand } from "../use-command.ts";
import styles from "./top-bar.module.css";

type SessionTitleProps = { sessionId: string; title: string; raw: string };

export function SessionTitle({ sessionId, title, raw }: SessionTitleProps) {
  const { api, refreshSessions } = useApp();
  const command = useCommand();
  const [text, setText] = useState<string | null>(null);
  if (text === null) {
    return (
      <h1 className={styles.title} title={title}>
        <button
          type="button"
          className={styles.rename}
          aria-label={`${title}. Rename`}
          onClick={() => setText(raw)}
        >
          {title}
        </button>
      </h1>
    );
  }
  const leave = () => {
    setText(null);
    command.forget();
  };
  const save = () => {
    const wanted = text.trim();
    if (wanted === "" || wanted === raw) return leave();
    command.send(
      wanted,
      () => api.updateTitle(sessionId, wanted),
      () => {
        setText(null);
        refreshSessions();
      },
    );
  };
  return (
    <form
      className={styles.renaming}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press that opened it was for this field
        autoFocus
        aria-label="Name of the session"
        value={text}
        maxLength={500}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") leave();
        }}
      />
      <Button type="submit" size="icon" icon="check" aria-label="Rename" disabled={command.busy} />
      <Button tone="quiet" size="icon" icon="close" aria-label="Keep the name" onClick={leave} />
      <Problem text={command.problem} />
    </form>
  );
}
