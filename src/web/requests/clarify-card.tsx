// A question with its offered answers, and a free text field if allowed.
import { useState, type FormEvent } from "react";
import { useApp } from "../app-context.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { AnswerNote } from "./answer-note.tsx";
import { ButtonKeys, shortcutOf } from "./button-keys.tsx";
import { choiceKey, ChoiceKeys } from "./choice-keys.tsx";
import { CopyRequestLink } from "./copy-request-link.tsx";
import { Countdown } from "./countdown.tsx";
import type { CardProps } from "./request-card.tsx";
import styles from "./requests.module.css";
import { useAnswer } from "./use-answer.ts";
import { useSeen } from "./use-seen.ts";

export function ClarifyCard({ request, runId, keys, ...rest }: CardProps) {
  const { api } = useApp();
  const { state, send } = useAnswer(rest);
  const [text, setText] = useState("");
  const sending = state.status === "sending";
  const { card, whenSeen } = useSeen();

  const answer = (response: string) =>
    send(response, (command_id) =>
      api.respondClarify({ runId, clarifyId: request.id }, { response, command_id }),
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") answer(text.trim());
  };
  return (
    <section
      ref={card}
      tabIndex={-1}
      className={styles.card}
      data-kind="clarify"
      data-status={state.status}
      aria-label="Question"
    >
      <div className="row justify-between gap-m">
        <p className="medium pre-wrap">{visibleText(request.prompt)}</p>
        <CopyRequestLink requestId={request.id} />
      </div>
      {keys && (
        <ChoiceKeys {...{ choices: request.choices, sending, whenSeen }} onAnswer={answer} />
      )}
      <Offered choices={request.choices} keys={keys} sending={sending} onAnswer={answer} />
      {request.freeText && (
        <form className="flex flex-wrap gap-m" onSubmit={submit}>
          <input
            className="input min-w-0 p-tab grow-200"
            value={text}
            placeholder={request.choices.length > 0 ? "Or answer in your own words" : "Your answer"}
            aria-label="Your answer"
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" tone="primary" disabled={sending || text.trim() === ""}>
            Answer
          </Button>
        </form>
      )}
      {request.expiresAt !== null && <Countdown until={request.expiresAt} />}
      <AnswerNote state={state} />
    </section>
  );
}

type OfferedProps = {
  choices: readonly string[];
  keys: boolean;
  sending: boolean;
  onAnswer: (choice: string) => void;
};

function Offered({ choices, keys, sending, onAnswer }: OfferedProps) {
  if (choices.length === 0) return null;
  const keyAt = (index: number) => (keys ? choiceKey(index) : null);
  return (
    <div className="flex flex-wrap gap-m" data-part="choices">
      {choices.map((choice, index) => (
        <Button
          key={choice}
          disabled={sending}
          onClick={() => onAnswer(choice)}
          {...shortcutOf(keyAt(index))}
        >
          {visibleLine(choice)}
          <ButtonKeys keys={keyAt(index)} />
        </Button>
      ))}
    </div>
  );
}
