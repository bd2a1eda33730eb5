// What a messenger says of a question, its answer and an ending. What a tool wants to do is shown so that nothing in
// it can hide, and as code, so that no messenger makes markup of it.
import type { PayloadOf } from "../../kernel/events/events.ts";
import { visibleLine, visibleText } from "../../kernel/text/visible-text.ts";
import { firstChars, truncate } from "../../kernel/text/truncate.ts";

/** `code` is shown as it is; how is the messenger's affair. */
export type Block = { readonly kind: "text" | "code"; readonly text: string };

export type AskChoice = { readonly choice: string; readonly label: string };
export type Ask = {
  readonly requestId: string;
  readonly runId: string; // the run's own, or a subagent's
  readonly kind: "approval" | "clarify";
  readonly planHash: string | null;
  readonly choices: readonly AskChoice[];
  readonly blocks: readonly Block[];
};

const MAX_SHOWN = 3_000;
const MAX_LABEL = 60;
const LABELS = {
  once: "Allow once",
  session: "Allow for this session",
  always: "Always allow",
  deny: "Deny",
} as const;
const DONE = {
  once: "Allowed once",
  session: "Allowed for this session",
  always: "Always allowed",
  deny: "Denied",
} as const;
const OUTCOMES = {
  check: "Check",
  retry: "Do it again",
  mark_done: "It happened",
  skip: "Leave it",
} as const;

const EXACTLY = "“Always allow” covers exactly this command.";

export const NO_LONGER = "This is no longer asked.";

export function approvalAsk(payload: PayloadOf<"approval.requested">, who: string | null): Ask {
  const { title, prompt, reason, choices, always, approval_id, plan_hash } = payload;
  const { text: command, rest } = bounded(prompt);
  // Nobody allows what they have not seen to its end.
  const offered = choices.filter((choice) =>
    rest > 0 ? choice === "deny" : choice !== "always" || always,
  );
  return {
    requestId: approval_id,
    runId: "",
    kind: "approval",
    planHash: plan_hash,
    choices: offered.map((choice) => ({ choice, label: LABELS[choice] })),
    blocks: [
      { kind: "text", text: from(who) + visibleLine(title) },
      { kind: "code", text: command },
      ...(rest > 0
        ? [{ kind: "text", text: cutNote(rest, "it can only be allowed in") } as const]
        : []),
      ...(reason ? [{ kind: "text", text: visibleLine(reason) } as const] : []),
      ...(always?.command === undefined ? [] : [{ kind: "text", text: EXACTLY } as const]),
    ],
  };
}

export function clarifyAsk(payload: PayloadOf<"clarify.requested">, who: string | null): Ask {
  const { question, choices, clarify_id, input_mode } = payload;
  const own = input_mode === "choice" && choices.length > 0 ? "" : "\nAnswer with a message.";
  return {
    requestId: clarify_id,
    runId: "",
    kind: "clarify",
    planHash: null,
    choices: choices.map((choice) => ({ choice, label: short(visibleLine(choice)) })),
    blocks: [{ kind: "text", text: `${from(who)}${boundedText(question)}${own}` }],
  };
}

export function outcomeAsk(payload: PayloadOf<"tool.outcome_unknown">, who: string | null): Ask {
  const { name, message, choices, request_id } = payload;
  return {
    requestId: request_id,
    runId: "",
    kind: "clarify",
    planHash: null,
    choices: choices.map((choice) => ({ choice, label: OUTCOMES[choice] })),
    blocks: [
      { kind: "text", text: `${from(who)}Did “${visibleLine(name)}” happen?` },
      { kind: "code", text: boundedText(message) },
    ],
  };
}

export function approvalAnswer(
  choice: PayloadOf<"approval.resolved">["choice"],
  by: string,
): string {
  return choice === null ? NO_LONGER : `${DONE[choice]} by ${personOf(by)}.`;
}

export function clarifyAnswer(response: string | null, by: string): string {
  if (response === null) return NO_LONGER;
  return `Answered by ${personOf(by)}: ${short(visibleLine(response))}`;
}

export function endingText({ status, result, error }: PayloadOf<"done">, said: string): string {
  const text = result !== null && result.trim() !== "" ? result : said;
  if (status === "completed") return text.trim() === "" ? "(The run ended without a text.)" : text;
  const why = { cancelled: "Stopped.", failed: "The run failed.", expired: EXPIRED };
  const reason = error?.message || why[status];
  return said.trim() === "" ? reason : `${said}\n\n${reason}`;
}
const EXPIRED = "The run was interrupted for too long and is not taken up again.";

export function activityLine(activity: string): Block {
  return { kind: "text", text: `⋯ ${short(visibleLine(activity))}` };
}

/** Somebody asked in another window: without it the answer would come out of nothing. */
export function elsewhere(prompt: string): Block {
  return { kind: "text", text: `↪ ${short(visibleLine(prompt))}` };
}

/** "telegram 42 (Ann)" is Ann; "person" somebody at the page. */
function personOf(by: string): string {
  const named = /\(([^)]+)\)$/.exec(by)?.[1];
  return visibleLine(named ?? (by === "person" ? "somebody at the page" : by)).slice(0, 80);
}

function from(who: string | null): string {
  return who === null ? "" : `[${short(visibleLine(who))}] `;
}

const short = (text: string) => truncate(text, MAX_LABEL);

/** With how many characters are left out. */
function bounded(text: string): { readonly text: string; readonly rest: number } {
  const visible = visibleText(text);
  if (visible.length <= MAX_SHOWN) return { text: visible, rest: 0 };
  const cut = firstChars(visible, MAX_SHOWN);
  return { text: `${cut}…`, rest: visible.length - cut.length };
}

/** Nothing is left out silently. */
function boundedText(whole: string): string {
  const { text, rest } = bounded(whole);
  return rest === 0 ? text : `${text}\n${cutNote(rest, "look at it before you answer, in")}`;
}

function cutNote(rest: number, what: string): string {
  return `(${rest} characters more: ${what} the page.)`;
}
