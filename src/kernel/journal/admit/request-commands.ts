// People's answers to requests. Of two racing answers one wins and the other is refused: the request is read and settled
// in the transaction that appends the answer. No clock is compared here: a request expires by an event of the runner
// that waits (V6), and whichever is appended first counts.
import type { Plan } from "../../events/catalogue/tools.ts";
import type { Outcome, RespondApproval, RespondClarify } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import type { Draft, PayloadOf } from "../../events/events.ts";
import type { RunStatus } from "../../state/run/status.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import type { LogRow } from "../append.ts";
import { verify } from "../hash-chain.ts";
import { appendToSystemLog } from "../system-log/system-log.ts";
import { once, outcome } from "./idempotency.ts";
import { onRun } from "./on-run.ts";
import { planHash } from "./plan-hash.ts";
import type { Transact, Tx } from "../transaction.ts";
import { integer, json, nullable, rowsOf, text, type RowOf } from "../rows.ts";

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
        same: (request) => samePlan(tx, request, command),
        resolved: (request) => approvalDrafts(tx, request, { command, by }),
        noted: { by, edited: command.arguments !== undefined },
      }),
    );
}

type Approving = { command: RespondApproval; by: string };

/** Edited arguments make a new plan, and the answer is bound to that plan. */
async function approvalDrafts(tx: Tx, request: RequestRow, approving: Approving): Promise<Draft[]> {
  const { command, by } = approving;
  const { choice, feedback = null } = command;
  if (choice === "always" && request.always === null) {
    throw new ApiError("invalid_request", "There is no rule to remember for this. Choose once.");
  }
  const about = { approval_id: request.request_id, call_id: request.call_id ?? "" };
  const said = { ...about, choice, feedback, by };
  if (choice === "deny") {
    refuseEdits(command);
    return [{ type: "approval.resolved", payload: { ...said, status: "denied" } }];
  }
  const plan = await editedPlan(tx, request, command);
  const rule = await chosenRule(tx, request, command);
  const plan_hash = plan ? planHash(plan) : (request.plan_hash ?? "");
  const replanned = { call_id: about.call_id, by, plan_hash };
  return [
    ...(plan ? [{ type: "tool.replanned" as const, payload: { ...replanned, plan } }] : []),
    { type: "approval.resolved", payload: { ...said, status: "approved", plan_hash, ...rule } },
  ];
}

/** Refuses a choice that was not offered. */
async function chosenRule(tx: Tx, request: RequestRow, { choice, pattern }: RespondApproval) {
  if (pattern === undefined) return {};
  const { wider = [] } = await eventOf(tx, request, "approval.requested");
  const chosen = choice === "always" ? wider[pattern] : undefined;
  if (chosen) return { rule: chosen.rule };
  throw new ApiError("invalid_request", "No such pattern was offered with “always”.");
}

/** The plan with the person's edits; undefined if nothing was changed. */
async function editedPlan(
  tx: Tx,
  request: RequestRow,
  command: RespondApproval,
): Promise<Plan | undefined> {
  if (command.arguments === undefined) return undefined;
  if (command.choice !== "once") refuseEdits(command);
  const asked = await eventOf(tx, request, "approval.requested");
  const plan: Plan = { ...asked.plan, arguments: command.arguments };
  return planHash(plan) === request.plan_hash ? undefined : plan;
}

/** Whether a repeated yes is about the same plan. Only "once" can be about another one. */
async function samePlan(tx: Tx, request: RequestRow, command: RespondApproval): Promise<boolean> {
  if (command.choice !== "once") return true;
  const plan = await editedPlan(tx, request, command);
  const { plan_hash = request.plan_hash } = await eventOf(tx, request, "approval.resolved");
  return (plan ? planHash(plan) : request.plan_hash) === plan_hash;
}

type ApprovalEvent = "approval.requested" | "approval.resolved";

/** Reads the request's event: it is rarely needed, and too large to be stored twice. */
async function eventOf<Type extends ApprovalEvent>(
  tx: Tx,
  request: RequestRow,
  type: Type,
): Promise<PayloadOf<Type>> {
  const rows = await BODY.all(
    tx,
    "SELECT body FROM events WHERE log_key = ? AND body LIKE ? ORDER BY seq DESC",
    request.log_key,
    `%"type":"${type}",%"approval_id":"${request.request_id}"%`,
  );
  for (const { body } of rows) {
    if (verify(body, undefined) === undefined) continue;
    const event = JSON.parse(body) as { type: string; payload: PayloadOf<Type> };
    // Arguments may contain this text, so the parsed type is compared too.
    if (event.type === type && event.payload.approval_id === request.request_id) {
      return event.payload;
    }
  }
  const message = `The events of ${request.request_id} cannot be read. Run "quarterdeck doctor".`;
  throw new ApiError("run_quarantined", message);
}

function refuseEdits({ arguments: edited }: RespondApproval): void {
  if (edited === undefined) return;
  const message =
    "Edited arguments can only be allowed once. Choose once, or leave them as they are.";
  throw new ApiError("invalid_request", message);
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
        same: async () => true,
        resolved: async (request) => [
          {
            type: "clarify.resolved",
            payload: {
              clarify_id: clarifyId,
              call_id: request.call_id,
              response: command.response,
              status: "answered",
              by,
            },
          },
        ],
      }),
    );
}

const RequestRow = rowsOf("requests", {
  request_id: text,
  log_key: integer,
  kind: text,
  call_id: nullable(text),
  plan_hash: nullable(text),
  answer: nullable(text),
  choices: json<string[]>(),
  always: nullable(text),
});
type RequestRow = RowOf<typeof RequestRow>;
const BODY = rowsOf("events", { body: text });
type Answer = {
  requestId: string;
  kinds: readonly string[];
  answer: string;
  planHash: string | undefined;
  command: { command_id?: string | undefined };
  /** Whether an answer with the same choice also has the same content. */
  same: (request: RequestRow) => Promise<boolean>;
  resolved: (request: RequestRow) => Promise<Draft[]>;
  /** Whether the system log records it: who allowed what. */
  noted?: { by: string; edited: boolean };
};

async function answer(tx: Tx, run: LogRow, given: Answer): Promise<Outcome | undefined> {
  const request = await RequestRow.get(
    tx,
    `SELECT request_id, log_key, kind, call_id, plan_hash, answer, choices, always FROM requests
     WHERE request_id = ? AND log_key = ?`,
    given.requestId,
    run.log_key,
  );
  if (!request || !given.kinds.includes(request.kind)) return undefined;
  const { command } = given;
  const keyed = { scope: `request:${given.requestId}`, key: command.command_id, command };
  return once(tx, keyed, () => decide(tx, run, request, given));
}

async function decide(tx: Tx, run: LogRow, request: RequestRow, given: Answer): Promise<Outcome> {
  const about = { run_id: run.log_id, session_id: run.session_id };
  if (request.answer === given.answer && (await given.same(request))) {
    return outcome("duplicate", { ...about, message: "Already answered so." });
  }
  if (request.answer && run.ended_at === null) {
    return outcome("conflict", { ...about, message: "Somebody else answered first." });
  }
  if (run.ended_at !== null || run.status === "cancelling") {
    return outcome("not_active", { ...about, message: "The run is no longer waiting for this." });
  }
  if (request.answer === "") {
    return outcome("expired", { ...about, message: "The request has expired." });
  }
  if (given.planHash !== undefined && given.planHash !== request.plan_hash) {
    return outcome("conflict", { ...about, message: "The plan is not the one you were shown." });
  }
  checkChoice(request, given.answer);
  const event_id = await tx.append(run.log_id, await given.resolved(request));
  await tx.append(run.log_id, [statusDraft(await statusAfter(tx, run))]);
  if (given.noted) {
    const answered = { ...about, request_id: request.request_id, choice: given.answer };
    const payload = { ...given.noted, ...answered };
    await appendToSystemLog(tx, [{ type: "approval.answered", payload }]);
  }
  return outcome("accepted", { ...about, event_id, message: "Answered." });
}

function checkChoice(request: RequestRow, given: string): void {
  if (request.kind === "clarify") return;
  const { choices } = request;
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
