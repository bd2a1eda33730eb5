// Controls on runs and sessions. Each is decided and becomes events in one transaction: of two
// racing answers one wins, the other is told, and neither can be lost by a crash in between.
import type {
  CancelRun,
  Outcome,
  QueueMessage,
  RespondApproval,
  RespondClarify,
  UpdateGoal,
  UpdateTitle,
} from "../protocol/commands.ts";
import { ApiError } from "../protocol/errors.ts";
import type { Draft } from "../protocol/events.ts";
import { NO_USAGE } from "../protocol/run-state.ts";
import type { RunStatus } from "../protocol/run-status.ts";
import { statusDraft } from "../protocol/status-draft.ts";
import type { LogRow } from "./append.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession, insertRun, newId, publishQueue } from "./start-commands.ts";
import type { Transact, Tx } from "./transaction.ts";

export function cancelRun(transact: Transact) {
  return (runId: string, command: CancelRun): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) => {
      const keyed = { scope: `run:${runId}`, key: command.command_id, command };
      return once(tx, keyed, async () => {
        const about = { run_id: runId, session_id: run.session_id };
        if (run.ended_at !== null)
          return outcome("not_active", { ...about, message: "The run has ended." });
        if (run.status === "cancelling") {
          return outcome("duplicate", { ...about, message: "The run is being cancelled." });
        }
        const drafts = [statusDraft("cancelling", command.reason ?? "asked to stop")];
        // Nobody ever owned it, so nobody else can end it.
        if (run.fence === 0) drafts.push(cancelled(run.seq + 2));
        const event_id = await tx.append(runId, drafts);
        return outcome("accepted", { ...about, event_id, message: "Cancelling." });
      });
    });
}

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

export function queueMessage(transact: Transact) {
  return (runId: string, command: QueueMessage): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) => {
      const keyed = { scope: `messages:${runId}`, key: command.message_id, command };
      return once(tx, keyed, async () => {
        const about = { run_id: runId, session_id: run.session_id };
        if (run.ended_at !== null || run.status === "cancelling") {
          return outcome("not_active", {
            ...about,
            message: "The run has ended: start a new one.",
          });
        }
        return command.mode === "steer" ? steer(tx, run, command) : enqueue(tx, run, command);
      });
    });
}

async function steer(tx: Tx, run: LogRow, command: QueueMessage): Promise<Outcome> {
  const message_id = command.message_id ?? newId("msg");
  const payload = { message_id, text: command.message, mode: "steer" as const, attachments: [] };
  const event_id = await tx.append(run.log_id, [{ type: "message.user", payload }]);
  const about = { run_id: run.log_id, session_id: run.session_id, event_id };
  return outcome("accepted", { ...about, message: "The agent reads it before its next step." });
}

async function enqueue(tx: Tx, run: LogRow, command: QueueMessage): Promise<Outcome> {
  const session = await findSession(tx, run.session_id);
  if (!session) throw new Error(`run ${run.log_id} has no session`);
  const runId = newId("run");
  const event_id = await insertRun(tx, {
    runId,
    session,
    mode: "queue",
    parent: null,
    messageId: command.message_id ?? newId("msg"),
    command: { message: command.message },
  });
  await publishQueue(tx, session);
  const about = { run_id: runId, session_id: run.session_id, event_id };
  return outcome("accepted", { ...about, message: "Queued behind the running run." });
}

export function updateTitle(transact: Transact) {
  return (sessionId: string, { title }: UpdateTitle): Promise<Outcome | undefined> =>
    transact(async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) return undefined;
      const draft: Draft = { type: "title.updated", payload: { title, source: "user" } };
      const event_id = await tx.append(sessionId, [draft]);
      return outcome("accepted", { session_id: sessionId, event_id, message: "Renamed." });
    });
}

type Goal = { goal_text: string | null; goal_status: "active" | "paused" | null };

export function updateGoal(transact: Transact) {
  return (sessionId: string, command: UpdateGoal): Promise<Outcome | undefined> =>
    transact(async (tx) => {
      const sql = "SELECT goal_text, goal_status FROM sessions WHERE session_id = ?";
      const goal = (await tx.get(sql, sessionId)) as Goal | undefined;
      if (!goal) return undefined;
      const keyed = { scope: `goal:${sessionId}`, key: command.command_id, command };
      return once(tx, keyed, () => changeGoal(tx, sessionId, goal, command));
    });
}

async function changeGoal(
  tx: Tx,
  sessionId: string,
  goal: Goal,
  { action, text }: UpdateGoal,
): Promise<Outcome> {
  const about = { session_id: sessionId };
  const now = { text: goal.goal_text, status: goal.goal_status };
  if (action === "status") {
    return {
      ...outcome("accepted", { ...about, message: "The goal as it stands." }),
      payload: now,
    };
  }
  const next = nextGoal(now, action, text);
  if (!next) return outcome("not_active", { ...about, message: "There is no goal to change." });
  if (next.status === now.status && next.text === now.text) {
    return { ...outcome("duplicate", { ...about, message: "It is so already." }), payload: now };
  }
  const event_id = await tx.append(sessionId, [
    { type: "goal.updated", payload: { action, ...next } },
  ]);
  return {
    ...outcome("accepted", { ...about, event_id, message: "Goal updated." }),
    payload: next,
  };
}

function nextGoal(
  goal: { text: string | null; status: string | null },
  action: "set" | "edit" | "pause" | "resume" | "clear",
  text: string | undefined,
): { text: string | null; status: "active" | "paused" | "cleared" } | undefined {
  if (action === "set" || action === "edit") {
    if (text === undefined)
      throw new ApiError("invalid_request", `text: needed to ${action} a goal`);
    if (action === "edit" && goal.text === null) return undefined;
    return { text, status: "active" };
  }
  if (goal.text === null) return undefined;
  const status = { pause: "paused", resume: "active", clear: "cleared" } as const;
  return { text: action === "clear" ? null : goal.text, status: status[action] };
}

async function onRun(
  transact: Transact,
  runId: string,
  work: (tx: Tx, run: LogRow) => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  return transact(async (tx) => {
    const run = await tx.log(runId);
    return run && run.log_id !== run.session_id ? work(tx, run) : undefined;
  });
}

function cancelled(lastSeq: number): Draft {
  const payload = { status: "cancelled", result: null, error: null } as const;
  return { type: "done", payload: { ...payload, usage: NO_USAGE, last_seq: lastSeq } };
}
