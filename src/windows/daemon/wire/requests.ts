// What waits for a person, as the daemon's clients can show and answer it: a description with two
// buttons. An approval has two sides by itself. A question has not, so its description says what each
// button answers, and the window answers exactly that; any other answer is given with
// `clarify.response`, or in another window.
import { buttonsOf } from "../../../kernel/dialect/deny-word.ts";

export function describeQuestion(
  question: string,
  kind: "clarify" | "unknown_outcome",
  choices: readonly string[],
): string {
  const { approve, deny } = buttonsOf(kind, choices);
  const listed = choices.length === 0 ? "" : ` [${choices.join(" | ")}]`;
  return `${question}${listed} (Approve answers “${approve}”, Deny answers “${deny}”.)`;
}
