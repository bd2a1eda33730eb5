// Interprets a text as the answer to a pending request. Only an unmistakable answer counts: a person who writes something
// else about an approval has allowed nothing.
import type { ApprovalChoice } from "../../events/catalogue/human.ts";

export type Waiting = {
  readonly kind: "approval" | "clarify" | "unknown_outcome";
  readonly choices: readonly string[];
  readonly always: string | null; // the rule it would make
};
export type Answer =
  | { readonly kind: "approval"; readonly choice: ApprovalChoice }
  | { readonly kind: "clarify"; readonly response: string };

const CHOICE_OF: ReadonlyMap<string, ApprovalChoice> = new Map([
  ...["yes", "y", "ok", "approve", "allow", "once"].map((word) => [word, "once"] as const),
  ["session", "session"],
  ["always", "always"],
  ...["no", "n", "deny", "reject"].map((word) => [word, "deny"] as const),
]);

export function answerOf(waiting: Waiting, text: string): Answer | undefined {
  const { kind, choices, always } = waiting;
  if (kind === "approval") {
    const choice = CHOICE_OF.get(plain(text));
    const offered = choice !== undefined && choices.includes(choice);
    if (!offered || (choice === "always" && always === null)) return undefined;
    return { kind, choice };
  }
  const chosen = choices.find((choice) => plain(choice) === plain(text));
  if (chosen !== undefined) return { kind: "clarify", response: chosen };
  if (kind === "unknown_outcome") return undefined;
  return { kind, response: text };
}

/** Lower case, with spaces for underscores. */
function plain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, " ");
}
