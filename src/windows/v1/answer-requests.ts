// Answers to pending requests among the items of the next request. Every window uses the same commands: the first
// answer wins, and a late one is told so.
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import type { Outcome } from "../../kernel/events/commands.ts";
import { refuse, type Answer, type InputItem } from "./wire/openai/input.ts";
import type { Waiting } from "./wire/openai/waiting.ts";
import type { ResponsesState } from "./wire/responses/object.ts";
import { readResponse } from "./read-response.ts";
import { V1Error } from "./v1-error.ts";
import { own } from "../../kernel/events/own.ts";

const BY = "v1";
const MAX = { approval: 8_192, output: 65_536 };

type Answering = { readonly item: Answer; readonly runId: string; readonly requestId: string };
export type Given = {
  /** That asked, and goes on with the answers. */
  readonly run: RunRecord | undefined;
  readonly items: ReadonlySet<InputItem>;
  readonly answers: readonly Answering[];
};

/** `run`: of the response that is answered. */
export async function answersIn(
  journal: Journal,
  items: readonly InputItem[],
  run: RunRecord | undefined,
): Promise<Given> {
  const possible = items.filter((item) => item.kind === "output" || item.kind === "approval");
  if (possible.length === 0) return { run, items: new Set(), answers: [] };
  const asked = run ? (await readResponse(journal, run)).asked : {};
  const called = new Set(items.flatMap((item) => (item.kind === "call" ? [item.callId] : [])));
  const taken = new Set<InputItem>();
  const answers = new Map<string, Answering>();
  for (const item of possible) {
    const request =
      item.kind === "approval" ? approval(asked, item) : question(asked, item, called);
    if (!request) continue;
    const { request_id: requestId, run_id: runId } = request;
    const before = answers.get(requestId);
    taken.add(item);
    // A question is two items, the model's call and ours: who answers both has answered.
    if (before) checkSame(before.item, item);
    else answers.set(requestId, { item: checked(request, item), runId, requestId });
  }
  return { run, items: taken, answers: [...answers.values()] };
}

type Asked = ResponsesState["asked"];

function approval(asked: Asked, { requestId, param }: Answer & { kind: "approval" }): Waiting {
  const request = Object.hasOwn(asked, requestId) ? asked[requestId]?.waiting : undefined;
  if (request?.kind === "approval") return request;
  const message =
    "The response that goes on here (previous_response_id) asked for no such approval.";
  return refuse(`${param}.approval_request_id`, message);
}

/** `called`: calls that are told along. One that was answered before is the past, told with its result. */
function question(
  asked: Asked,
  { callId }: Answer & { kind: "output" },
  called: ReadonlySet<string>,
): Waiting | undefined {
  const named = own(asked, callId);
  if (named) return named.waiting.kind === "approval" ? undefined : named.waiting;
  const asking = Object.values(asked).findLast(
    (each) => each.callId === callId && each.waiting.kind === "clarify",
  );
  return asking && (asking.open || !called.has(callId)) ? asking.waiting : undefined;
}

/** Everything that the journal would refuse, before anything is changed. */
function checked({ kind, choices }: Waiting, item: Answer): Answer {
  const words = item.kind === "approval" ? (item.reason ?? "") : item.text;
  if (item.kind === "output" && words === "") refuse(item.param, "The answer is empty.");
  if (words.length > MAX[item.kind]) refuse(item.param, "The answer is too long.");
  const chosen = item.kind === "approval" ? choiceOf(item) : words;
  if (kind !== "clarify" && !choices.includes(chosen)) {
    refuse(item.param, `Choose one of: ${choices.join(", ")}.`);
  }
  return item;
}

function checkSame(before: Answer, item: Answer): void {
  if (before.kind !== "approval" || item.kind !== "approval") return;
  if (before.approve === item.approve) return;
  refuse(`${item.param}.approve`, "The same approval is given and refused in one request.");
}

function choiceOf({ approve }: Answer & { kind: "approval" }): "once" | "deny" {
  return approve ? "once" : "deny";
}

/** Refuses what comes too late, while nothing else was begun. What was answered just so may be again. */
export async function refuseLate(journal: Journal, { answers }: Given): Promise<void> {
  for (const answer of answers) {
    if (!(await isPending(journal, answer))) await give(journal, answer); // it can change nothing
  }
}

async function isPending(journal: Journal, { runId, requestId }: Answering): Promise<boolean> {
  const run = await journal.reads.run(runId);
  if (!run || run.ended_at !== null || run.status === "cancelling") return false;
  const pending = await journal.reads.pending({ runId });
  return pending.some(({ request_id }) => request_id === requestId);
}

export async function giveAnswers(journal: Journal, { answers }: Given): Promise<void> {
  for (const answer of answers) await give(journal, answer);
}

async function give(journal: Journal, { item, runId, requestId }: Answering): Promise<void> {
  const outcome =
    item.kind === "approval"
      ? await journal.commands.respondApproval(
          { runId, approvalId: requestId },
          {
            choice: choiceOf(item),
            ...(item.reason !== undefined && { feedback: item.reason }),
            by: BY,
          },
        )
      : await journal.commands.respondClarify(
          { runId, clarifyId: requestId },
          { response: item.text, by: BY },
        );
  if (!outcome?.accepted) throw tooLate(item, outcome);
}

function tooLate(item: Answer, outcome: Outcome | undefined): V1Error {
  const code = item.kind === "approval" ? "approval_not_pending" : "clarify_not_pending";
  return new V1Error(409, code, outcome?.safe_message ?? "Nothing waits for it.", item.param);
}
