// Answers of people. Of two racing answers one wins and the other is told: the request is read and
// settled in the transaction that appends the answer.
import type { Outcome, RespondApproval, RespondClarify } from "../protocol/commands.ts";
import { ApiError } from "../protocol/errors.ts";
import type { Draft } from "../protocol/events.ts";
import type { RunStatus } from "../protocol/run-status.ts";
import { statusDraft } from "../protocol/status-draft.ts";
import type { LogRow } from "./append.ts";
import { once, outcome } from "./idempotency.ts";
import { onRun } from "./on-run.ts";
import type { Transact, Tx } from "./transaction.ts";

export function respondApproval(transact: Transact) {
  return (
    { runId, approvalId }: { runId: string; approvalId: string },
    { by, ...command }: RespondApproval & { by: string },
  ): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) =>
      answer(tx, run, {
        requestId: approvalId,
        kinds: ["approval"],
        answer: command.choice,
        planHash: command.plan_hash,
        command,
        resolved: (request) => ({
          type: "approval.resolved",
          payload: {
            approval_id: approvalId,
            call_id: request.call_id ?? "",
            choice: command.choice,
            status: command.choice === "deny" ? "denied" : "approved",
            feedback: command.feedback ?? null,
            by,
          },
        }),
      }),
    );
}

export function respondClarify(transact: Transact) {
  return (
    { runId, clarifyId }: { runId: string; clarifyId: string },
    { by, ...command }: RespondClarify & { by: string },
  ): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) =>
      answer(tx, run, {
        requestId: clarifyId,
        kinds: ["clarify", "unknown_outcome"],
        answer: command.response,
        planHash: undefined,
        command,
        resolved: (request) => ({
          type: "clarify.resolved",
          payload: {
            clarify_id: clarifyId,
            call_id: request.call_id,
            response: command.response,
            status: "answered",
            by,
          },
        }),
      }),
    );
}

type RequestRow = {
  kind: string;
  call_id: string | null;
  plan_hash: string | null;
  answer: string | null;
  choices: string;
  expires_at: number | null;
};
type Answer = {
  requestId: string;
  kinds: readonly string[];
  answer: string;
  planHash: string | undefined;
  command: { command_id?: string | undefined };
  resolved: (request: RequestRow) => Draft;
};

async function answer(tx: Tx, run: LogRow, given: Answer): Promise<Outcome | undefined> {
  const request = (await tx.get(
    "SELECT * FROM requests WHERE request_id = ? AND log_key = ?",
    given.requestId,
    run.log_key,
  )) as RequestRow | undefined;
  if (!request || !given.kinds.includes(request.kind)) return undefined;
  const { command } = given;
  const keyed = { scope: `request:${given.requestId}`, key: command.command_id, command };
  return once(tx, keyed, () => decide(tx, run, request, given));
}

async function decide(tx: Tx, run: LogRow, request: RequestRow, given: Answer): Promise<Outcome> {
  const about = { run_id: run.log_id, session_id: run.session_id };
  if (request.answer === given.answer) {
    return outcome("duplicate", { ...about, message: "Already answered so." });
  }
  if (request.answer !== null && run.ended_at === null) {
    return outcome("conflict", { ...about, message: "Somebody else answered first." });
  }
  if (run.ended_at !== null || run.status === "cancelling") {
    return outcome("not_active", { ...about, message: "The run is no longer waiting for this." });
  }
  if (request.expires_at !== null && request.expires_at <= tx.now) {
    return outcome("expired", { ...about, message: "The request has expired." });
  }
  if (given.planHash !== undefined && given.planHash !== request.plan_hash) {
    return outcome("conflict", { ...about, message: "The plan is not the one you were shown." });
  }
  checkChoice(request, given.answer);
  const event_id = await tx.append(run.log_id, [given.resolved(request)]);
  await tx.append(run.log_id, [statusDraft(await statusAfter(tx, run))]);
  return outcome("accepted", { ...about, event_id, message: "Answered." });
}

function checkChoice(request: RequestRow, given: string): void {
  if (request.kind === "clarify") return;
  const choices = JSON.parse(request.choices) as string[];
  if (choices.includes(given)) return;
  throw new ApiError("invalid_request", `choose one of: ${choices.join(", ")}`, { choices });
}

async function statusAfter(tx: Tx, run: LogRow): Promise<RunStatus> {
  const next = await tx.get(
    "SELECT kind FROM requests WHERE log_key = ? AND answer IS NULL ORDER BY created_at LIMIT 1",
    run.log_key,
  );
  if (!next) return "running";
  return next["kind"] === "approval" ? "awaiting_approval" : "awaiting_clarify";
}
