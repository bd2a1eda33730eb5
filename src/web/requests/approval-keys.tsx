// The keys of the approval that waits longest. They do what its buttons do, and no more: what cannot be
// pressed has no key either.
import type { ApprovalChoice } from "../../protocol/catalogue/human.ts";
import { useAction } from "../keys/actions.ts";
import type { ApprovalChoicesProps } from "./approval-choices.tsx";

const KEYS = {
  once: { title: "Allow once", key: "a" },
  session: { title: "Allow in this session", key: "s" },
  deny: { title: "Deny", key: "d" },
} as const satisfies Partial<Record<ApprovalChoice, { title: string; key: string }>>;

export function ApprovalKeys(props: ApprovalChoicesProps) {
  return (Object.keys(KEYS) as (keyof typeof KEYS)[])
    .filter((choice) => props.choices.includes(choice))
    .map((choice) => <ApprovalKey key={choice} choice={choice} {...props} />);
}

type ApprovalKeyProps = ApprovalChoicesProps & { choice: keyof typeof KEYS };

function ApprovalKey({ choice, locked, sending, onAnswer }: ApprovalKeyProps) {
  const { title, key } = KEYS[choice];
  const unseen = locked && choice !== "deny" ? "Show all of it first." : null;
  useAction({
    id: `approval.${choice}`,
    title,
    section: "Run",
    keys: [key],
    unavailable: sending ? "Your answer is on its way." : unseen,
    run: () => onAnswer(choice),
  });
  return null;
}
