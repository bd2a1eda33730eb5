// The runner died during a tool call and its outcome is unknown, so a person decides whether to repeat it.
import { useApp } from "../app-context.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { Button } from "../ui/button.tsx";
import { AnswerNote } from "./answer-note.tsx";
import { ButtonKeys, shortcutOf } from "./button-keys.tsx";
import { choiceKey, ChoiceKeys } from "./choice-keys.tsx";
import { CopyRequestLink } from "./copy-request-link.tsx";
import type { CardProps } from "./request-card.tsx";
import { planText } from "./plan-text.ts";
import styles from "./requests.module.css";
import { useAnswer } from "./use-answer.ts";
import { useSeen } from "./use-seen.ts";

export type UnknownOutcomeChoice = "check" | "retry" | "mark_done" | "skip";

const CHOICE: Record<UnknownOutcomeChoice, { label: string; meaning: string }> = {
  check: { label: "Check", meaning: "Check whether it happened, without doing it again." },
  retry: { label: "Run again", meaning: "Do it once more, even if it already happened." },
  mark_done: { label: "It happened", meaning: "Continue as if it had succeeded." },
  skip: { label: "Skip it", meaning: "Continue without it; the agent is informed." },
};

export function UnknownOutcomeCard({ request, runId, tool, keys, ...rest }: CardProps) {
  const { api } = useApp();
  const { state, send } = useAnswer(rest);
  const sending = state.status === "sending";
  const { card, whenSeen } = useSeen();
  const answer = (response: string) =>
    send(response, (command_id) =>
      api.respondClarify({ runId, clarifyId: request.id }, { response, command_id }),
    );
  return (
    <section
      ref={card}
      tabIndex={-1}
      className={styles.card}
      data-kind="unknown_outcome"
      data-status={state.status}
      aria-label="Unknown outcome"
    >
      <div className="row justify-between gap-m">
        <p className="bold">{visibleText(request.title)}</p>
        <CopyRequestLink requestId={request.id} />
      </div>
      {tool && (
        <pre className={styles.plan} data-status="whole" tabIndex={0}>
          {visibleText(planText(tool))}
        </pre>
      )}
      {keys && (
        <ChoiceKeys
          choices={request.choices}
          labelOf={(choice) => CHOICE[choice as UnknownOutcomeChoice].label}
          sending={sending}
          onAnswer={answer}
          whenSeen={whenSeen}
        />
      )}
      <p>{visibleText(request.prompt)} It may have happened in part, in whole, or not at all.</p>
      <Options choices={request.choices} keys={keys} sending={sending} onAnswer={answer} />
      <AnswerNote state={state} />
    </section>
  );
}

type OptionsProps = {
  choices: readonly string[];
  keys: boolean;
  sending: boolean;
  onAnswer: (choice: string) => void;
};

function Options({ choices, keys, sending, onAnswer }: OptionsProps) {
  const keyAt = (index: number) => (keys ? choiceKey(index) : null);
  return (
    <dl className={styles.options} data-part="choices">
      {(choices as readonly UnknownOutcomeChoice[]).map((choice, index) => (
        <div key={choice}>
          <dt>
            <Button
              disabled={sending}
              onClick={() => onAnswer(choice)}
              {...shortcutOf(keyAt(index))}
            >
              {CHOICE[choice].label}
              <ButtonKeys keys={keyAt(index)} />
            </Button>
          </dt>
          <dd>{CHOICE[choice].meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
