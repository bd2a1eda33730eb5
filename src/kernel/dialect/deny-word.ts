// What yes and no answer to a question, for windows whose clients have two buttons and nothing to write in.
// An approval has two sides by itself; a question has not.

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

const PLAIN_NO = /^(no|cancel|stop|skip|deny|none)\b/i;

/** What cancelling answers where nobody was told what a "no" stands for: never a choice that is none. */
export function cancelWord(
  kind: "clarify" | "unknown_outcome",
  choices: readonly string[],
): string {
  if (kind === "unknown_outcome") return "skip";
  if (choices.length === 0) return "no";
  return choices.find((choice) => PLAIN_NO.test(choice)) ?? NONE_OF_THESE;
}
