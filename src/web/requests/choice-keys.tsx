// Alt and a digit for each offered answer of the oldest question.
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useAction } from "../keys/actions.ts";
import type { WhenSeen } from "./use-seen.ts";

type ChoiceKeysProps = {
  choices: readonly string[];
  labelOf?: (choice: string) => string;
  sending: boolean;
  onAnswer: (choice: string) => void;
  whenSeen: WhenSeen;
};
const MAX = 9;

/** Null: no key. */
export function choiceKey(index: number): string | null {
  return index < MAX ? `alt+${index + 1}` : null;
}

export function ChoiceKeys({ choices, ...rest }: ChoiceKeysProps) {
  return choices
    .slice(0, MAX)
    .map((choice, index) => (
      <ChoiceKey key={choice} choice={choice} number={index + 1} {...rest} />
    ));
}

type ChoiceKeyProps = Omit<ChoiceKeysProps, "choices"> & { choice: string; number: number };

function ChoiceKey({ choice, number, labelOf, sending, onAnswer, whenSeen }: ChoiceKeyProps) {
  useAction({
    id: `answer.${number}`,
    title: `Answer: ${visibleLine(labelOf?.(choice) ?? choice)}`,
    section: "Run",
    keys: [`alt+${number}`],
    unavailable: sending ? "Your answer is on its way." : null,
    run: (by) => whenSeen(() => onAnswer(choice), by),
  });
  return null;
}
