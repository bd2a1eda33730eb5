// The keys of the approval that waits longest. They do what its buttons do, and no more: what cannot be
// pressed has no key either. Never a letter alone: whoever types must not allow anything by it.
import { useAction } from "../keys/actions.ts";
import { APPROVAL_KEY, CHOICE, type ApprovalChoicesProps } from "./approval-choices.tsx";
import type { WhenSeen } from "./use-seen.ts";

type ApprovalKeysProps = Omit<ApprovalChoicesProps, "keys"> & { whenSeen: WhenSeen };
type Keyed = keyof typeof APPROVAL_KEY;

export function ApprovalKeys(props: ApprovalKeysProps) {
  return (Object.keys(APPROVAL_KEY) as Keyed[])
    .filter((choice) => props.choices.includes(choice))
    .map((choice) => <ApprovalKey key={choice} choice={choice} {...props} />);
}

type ApprovalKeyProps = ApprovalKeysProps & { choice: Keyed };

function ApprovalKey({ choice, locked, sending, onAnswer, whenSeen }: ApprovalKeyProps) {
  const unseen = locked && choice !== "deny" ? "Show all of it first." : null;
  useAction({
    id: `approval.${choice}`,
    title: CHOICE[choice].label,
    section: "Run",
    keys: [APPROVAL_KEY[choice]],
    unavailable: sending ? "Your answer is on its way." : unseen,
    run: (by) => whenSeen(() => onAnswer(choice), by),
  });
  return null;
}
