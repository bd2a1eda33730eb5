// What a text-only device reads of a request, and how it ends. A person with nothing but words answers
// it, so the text says what is asked and which words are an answer.
import type { Rule } from "../../../kernel/events/catalogue/permissions.ts";
import type { PayloadOf } from "../../../kernel/events/events.ts";
import { truncate } from "../../../kernel/text/truncate.ts";

/** More of a request than this is not for a device; that it was cut is said. */
const MAX_ASKED = 16_384;
const MAX_SAID = 4_096;

export function approvalText(payload: PayloadOf<"approval.requested">, who: string | null): string {
  const { title, prompt, reason, choices, always } = payload;
  const words = choices.flatMap((choice) => {
    if (choice === "once") return ["yes"];
    if (choice === "session") return ["session (yes, and the same again in this session)"];
    if (choice === "deny") return ["no"];
    return always ? [`always (from now on: ${ruleText(always)})`] : [];
  });
  return [
    `${from(who)}${title}`,
    indented(shown(prompt)),
    ...(reason ? [reason] : []),
    `Reply ${listed(words)}.`,
  ].join("\n");
}

export function clarifyText(payload: PayloadOf<"clarify.requested">, who: string | null): string {
  const { question, choices, input_mode } = payload;
  const own = input_mode === "choice" && choices.length > 0 ? [] : ["in your own words"];
  const how = listed([...choices.map(quoted), ...own]);
  return `${from(who)}${cut(question, MAX_ASKED)}\nReply ${how}.`;
}

const OUTCOME_LABELS = {
  check: "check (look whether it happened)",
  retry: "retry (do it again)",
  mark_done: "mark done (it has happened)",
  skip: "skip (leave it)",
} as const;

export function outcomeText(payload: PayloadOf<"tool.outcome_unknown">, who: string | null) {
  const { name, message, choices } = payload;
  const words = listed(choices.map((choice) => OUTCOME_LABELS[choice]));
  return `${from(who)}Did “${name}” happen?\n${indented(shown(message))}\nReply ${words}.`;
}

/** What was said before it, if anything. */
export function withContext(said: string, text: string): string {
  return said.trim() === "" ? text : `${said}\n\n${text}`;
}

export function finalText({ status, result, error }: PayloadOf<"done">, partial: string): string {
  const said = [status === "completed" ? result : partial, result, partial].find(
    (text) => text !== null && text.trim() !== "",
  );
  if (status === "completed") return said ?? "(The run ended without a text.)";
  const why = { cancelled: "The run was stopped.", failed: "The run failed.", expired: EXPIRED };
  return withContext(said ?? "", error?.message || why[status]);
}
const EXPIRED = "The run was interrupted for too long and is not taken up again.";

export function saidText(text: string): string {
  return cut(text, MAX_SAID);
}

/** Text as it comes, as far as a device is shown it if it never gets whole. */
export function grown(text: string, delta: string): string {
  return text.length >= MAX_ASKED ? text : cut(text + delta, MAX_ASKED);
}

function from(who: string | null): string {
  return who === null ? "" : `[${who}] `;
}

function cut(text: string, most: number): string {
  return truncate(text, most, most);
}

/** What is allowed is what is seen: nothing invisible, and nothing left out silently. */
function shown(text: string): string {
  const visible = text.replaceAll(
    /[^\P{C}\n\t]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
  if (visible.length <= MAX_ASKED) return visible;
  const rest = visible.length - MAX_ASKED;
  return `${cut(visible, MAX_ASKED)}\n(${rest} characters more: look at it in another window first.)`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

function quoted(choice: string): string {
  return `“${cut(choice, 200)}”`;
}

function listed(words: readonly string[]): string {
  const [last = "", ...before] = words.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(", ")} or ${last}`;
}

function ruleText({ tool, argv, path, host }: Rule): string {
  return shown([tool, ...(argv ?? []), ...(path ? [path] : []), ...(host ? [host] : [])].join(" "));
}
