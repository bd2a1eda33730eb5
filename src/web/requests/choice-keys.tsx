// Alt and a number for each offered answer of the question that waits longest.
import { visibleLine } from "../../protocol/visible-text.ts";
import { useAction } from "../keys/actions.ts";

type ChoiceKeysProps = {
  choices: readonly string[];
  labelOf?: (choice: string) => string;
  sending: boolean;
  onAnswer: (choice: string) => void;
};
const MOST = 9;

export function ChoiceKeys({ choices, ...rest }: ChoiceKeysProps) {
  return choices
    .slice(0, MOST)
    .map((choice, index) => (
      <ChoiceKey key={choice} choice={choice} number={index + 1} {...rest} />
    ));
}

type ChoiceKeyProps = Omit<ChoiceKeysProps, "choices"> & { choice: string; number: number };

function ChoiceKey({ choice, number, labelOf, sending, onAnswer }: ChoiceKeyProps) {
  useAction({
    id: `answer.${number}`,
    title: `Answer: ${visibleLine(labelOf?.(choice) ?? choice)}`,
    section: "Run",
    keys: [`alt+${number}`],
    unavailable: sending ? "Your answer is on its way." : null,
    run: () => onAnswer(choice),
  });
  return null;
}
