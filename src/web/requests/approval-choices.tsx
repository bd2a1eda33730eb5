// The answers to an approval, as buttons.
import type { ApprovalChoice } from "../../kernel/events/catalogue/human.ts";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { ButtonKeys, shortcutOf } from "./button-keys.tsx";

export const APPROVAL_KEY = {
  once: "alt+a",
  session: "alt+s",
  deny: "alt+d",
} as const satisfies Partial<Record<ApprovalChoice, string>>;

type Words = { label: string; title: string; tone: ButtonProps["tone"] };
export const CHOICE: Record<ApprovalChoice, Words> = {
  once: { label: "Allow once", title: "Run this now; ask again next time", tone: "primary" },
  session: {
    label: "Allow in this session",
    title: "Run this now, and do not ask again for exactly this in this session",
    tone: "plain",
  },
  always: {
    label: "Always allow",
    title: "Run this now, and add the rule that is shown below",
    tone: "plain",
  },
  deny: { label: "Deny", title: "Do not run it; your note reaches the agent", tone: "danger" },
};

export type ApprovalChoicesProps = {
  choices: readonly ApprovalChoice[];
  locked: boolean; // not all of the plan has been seen: only "no" is possible
  sending: boolean;
  keys: boolean; // its answers have keys
  onAnswer: (choice: ApprovalChoice) => void;
};

export function ApprovalChoices({ choices, keys, ...rest }: ApprovalChoicesProps) {
  const { locked, sending, onAnswer } = rest;
  const keyOf = (choice: ApprovalChoice) =>
    keys && choice !== "always" ? APPROVAL_KEY[choice] : null;
  return choices.map((choice) => (
    <Button
      key={choice}
      tone={CHOICE[choice].tone ?? "plain"}
      title={CHOICE[choice].title}
      {...shortcutOf(keyOf(choice))}
      disabled={sending || (locked && choice !== "deny")}
      onClick={() => onAnswer(choice)}
    >
      {CHOICE[choice].label}
      <ButtonKeys keys={keyOf(choice)} />
    </Button>
  ));
}
