// What waits for a person, as the daemon's clients can show and answer it: a description with two
// buttons. An approval has two sides by itself. A question has not, so its description says what each
// button answers, and the window answers exactly that; any other answer is given with
// `clarify.response`, or in another window.

type Buttons = { readonly approve: string; readonly deny: string };

const NONE_OF_THESE = "None of these.";

/** Never an answer that does something twice: for an unknown outcome yes means to look, not to repeat. */
export function buttonsOf(
  kind: "clarify" | "unknown_outcome",
  choices: readonly string[],
): Buttons {
  if (kind === "unknown_outcome") return { approve: "check", deny: "skip" };
  const [approve, deny, ...more] = choices;
  if (approve === undefined) return { approve: "yes", deny: "no" };
  return deny === undefined || more.length > 0
    ? { approve, deny: NONE_OF_THESE }
    : { approve, deny };
}

export function describeQuestion(
  question: string,
  kind: "clarify" | "unknown_outcome",
  choices: readonly string[],
): string {
  const { approve, deny } = buttonsOf(kind, choices);
  const listed = choices.length === 0 ? "" : ` [${choices.join(" | ")}]`;
  return `${question}${listed} (Approve answers “${approve}”, Deny answers “${deny}”.)`;
}
