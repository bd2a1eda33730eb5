// Answers requests of a run that is followed from a shell: at a terminal the person is asked, otherwise they stay for
// another window. Nothing is allowed because nobody was there, and nothing is denied by a typo.
import { createInterface } from "node:readline";
import type { Journal } from "../kernel/journal/journal.ts";
import type { RequestRecord } from "../kernel/api/records/records.ts";
import { ApiError } from "../kernel/events/errors.ts";
import { RESET } from "../kernel/text/terminal-text.ts";
import { ruleText } from "../kernel/text/describe-rule.ts";
import { typedApproval, typedChoice } from "../kernel/text/typed-answer.ts";
import { visibleText } from "../kernel/text/visible-text.ts";
import { pastGuard } from "./guarded-output.ts";

/** `left`: something waits for a person and there is none here, or no longer. `interrupted`: by Ctrl+C. */
export type Attended = "attended" | "left" | "interrupted";

/** Asks about whatever keeps the session up: a subagent's request, and what is before ours in it, too. */
export async function answerPending(journal: Journal, sessionId: string): Promise<Attended> {
  const request = (await journal.reads.pending({ sessionId })).at(0);
  if (!request) return "attended";
  if (!process.stdin.isTTY) {
    process.stderr.write(`\n${visibleText(`${request.title} ${request.prompt}`)}\n`);
    return leave();
  }
  using settled = whenSettled(journal, request);
  const typed = await ask(question(request), settled.signal);
  if (typed === "left") return leave();
  if (typed === "interrupted") return "interrupted";
  if (typed === "settled") process.stderr.write("\nAnswered elsewhere.\n");
  else await answer(journal, request, typed.words);
  return "attended"; // or asked again, when that was no answer
}

function leave(): Attended {
  process.stderr.write(
    "The run waits for an answer: open it in the browser, or run this at a terminal.\n",
  );
  return "left";
}

function question({ kind, title, prompt, choices, always }: RequestRecord): string {
  const words = {
    once: "y once",
    session: "s in this session",
    always: always && `a always: ${ruleText(always)}`,
    deny: "n deny, n and why",
  };
  const offered =
    kind === "approval"
      ? choices.flatMap((choice) => words[choice as keyof typeof words] ?? []).join(" · ")
      : choices.map((choice, at) => `${at + 1} ${visibleText(choice)}`).join(" · ");
  return `\n${visibleText(title)}\n  ${visibleText(prompt)}\n${offered === "" ? "" : `${offered}\n`}> `;
}

type Typed = { readonly words: string } | "left" | "interrupted" | "settled";

async function ask(text: string, settled: AbortSignal): Promise<Typed> {
  const terminal = createInterface({
    input: process.stdin,
    output: pastGuard(process.stderr),
  });
  try {
    return await new Promise<Typed>((resolve) => {
      terminal.once("SIGINT", () => resolve("interrupted")); // no signal comes: readline has the keys
      terminal.once("close", () => resolve("left"));
      settled.addEventListener("abort", () => resolve("settled"), { once: true });
      terminal.question(`${process.stderr.isTTY ? RESET : ""}${text}`, (words) =>
        resolve({ words: words.trim() }),
      );
    });
  } finally {
    terminal.close();
  }
}

async function answer(journal: Journal, request: RequestRecord, words: string): Promise<void> {
  try {
    const outcome = await respond(journal, request, words);
    if (outcome === undefined) process.stderr.write("That is no answer to it.\n");
    else if (!outcome.accepted) process.stderr.write(`${outcome.safe_message}\n`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    process.stderr.write(`${error.message}\n`); // another window was first, say
  }
}

/** Undefined: the words are no answer to it. */
async function respond(journal: Journal, request: RequestRecord, words: string) {
  const { run_id: runId, request_id: id, plan_hash } = request;
  if (request.kind === "approval") {
    const given = typedApproval(words, request);
    if (!given) return undefined;
    const { choice, feedback } = given;
    const bound = { ...(feedback && { feedback }), ...(plan_hash !== null && { plan_hash }) };
    const command = { choice, ...bound, by: "terminal" };
    return journal.commands.respondApproval({ runId, approvalId: id }, command);
  }
  const chosen = typedChoice(words, request.choices);
  const response = chosen ?? (request.kind === "clarify" ? words : "");
  if (response === "") return undefined;
  return journal.commands.respondClarify({ runId, clarifyId: id }, { response, by: "terminal" });
}

const LOOK_MS = 1_000; // when no wake-up comes

/** Aborted when it is answered in another window, or its run has ended. */
function whenSettled(journal: Journal, { session_id: sessionId, request_id }: RequestRecord) {
  const settled = new AbortController();
  const look = async () => {
    const waiting = await journal.reads.pending({ sessionId });
    if (!waiting.some((one) => one.request_id === request_id)) settled.abort();
  };
  const glance = () => void look().catch(() => undefined); // who reads the run meets it, too
  const unwatch = journal.watch(glance);
  const idle = setInterval(glance, LOOK_MS);
  return {
    signal: settled.signal,
    [Symbol.dispose]() {
      clearInterval(idle);
      unwatch();
    },
  };
}
