// Answers to what a response waits for, among the items of the next request. They are the same commands
// as from any window: the first one wins, and who comes late is told.
import type { Journal } from "../../../journal/journal.ts";
import type { RunRecord } from "../../../protocol/api-records.ts";
import type { Outcome } from "../../../protocol/commands.ts";
import { refuse, type Answer, type InputItem } from "../../../protocol/dialects/openai-input.ts";
import type { ResponsesState } from "../../../protocol/dialects/responses-object.ts";
import { readResponse } from "./read-response.ts";
import { V1Error } from "./v1-error.ts";

const BY = "v1";
const MOST = { approval: 8_192, output: 65_536 };

export type Given = {
  /** That asked, and goes on with the answers. */
  readonly run: RunRecord | undefined;
  readonly items: ReadonlySet<InputItem>;
  readonly answers: readonly { readonly item: Answer; readonly runId: string }[];
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
  const answers = possible.flatMap((item) => {
    const runId = askedBy(asked, item);
    return runId === undefined ? [] : [{ item, runId }];
  });
  return { run, items: new Set(answers.map(({ item }) => item)), answers };
}

function askedBy(asked: ResponsesState["asked"], item: Answer): string | undefined {
  const id = item.kind === "approval" ? item.requestId : item.callId;
  const request = Object.hasOwn(asked, id) ? asked[id]?.waiting : undefined;
  const fits = request && (request.kind === "approval") === (item.kind === "approval");
  if (item.kind === "approval" && !fits) {
    const path = `${item.param}.approval_request_id`;
    refuse(
      path,
      "The response that goes on here (previous_response_id) asked for no such approval.",
    );
  }
  const words = item.kind === "approval" ? (item.reason ?? "") : item.text;
  if (fits && item.kind === "output" && words === "") refuse(item.param, "The answer is empty.");
  if (fits && words.length > MOST[item.kind]) refuse(item.param, "The answer is too long.");
  return fits ? request.run_id : undefined;
}

export async function giveAnswers(journal: Journal, { answers }: Given): Promise<void> {
  for (const { item, runId } of answers) {
    const outcome =
      item.kind === "approval"
        ? await journal.respondApproval(
            { runId, approvalId: item.requestId },
            {
              choice: item.approve ? "once" : "deny",
              ...(item.reason !== undefined && { feedback: item.reason }),
              by: BY,
            },
          )
        : await journal.respondClarify(
            { runId, clarifyId: item.callId },
            { response: item.text, by: BY },
          );
    if (!outcome?.accepted) throw tooLate(item, outcome);
  }
}

function tooLate(item: Answer, outcome: Outcome | undefined): V1Error {
  const code = item.kind === "approval" ? "approval_not_pending" : "clarify_not_pending";
  return new V1Error(409, code, outcome?.safe_message ?? "Nothing waits for it.", item.param);
}
