// How answers look: `{ok:true,data}` always, 202 when a command was taken, 200 when it was answered
// otherwise. Too late is an answer, not an error.
import type { FastifyReply } from "fastify";
import type { Outcome } from "../../events/commands.ts";
import { ApiError, parse, type ErrorCode } from "../../events/errors.ts";
import { RunId, SessionId } from "../../events/ids.ts";

const STATUS: Record<Outcome["status"], 200 | 202> = {
  accepted: 202,
  duplicate: 200,
  not_active: 200,
  expired: 200,
  conflict: 200,
  unsupported: 200,
};

export function data<Data>(value: Data): { ok: true; data: Data } {
  return { ok: true, data: value };
}

export function sendOutcome(
  reply: FastifyReply,
  outcome: Outcome | undefined,
  missing: { code: ErrorCode; message: string },
): FastifyReply {
  if (!outcome) throw new ApiError(missing.code, missing.message);
  return reply.status(STATUS[outcome.status]).send(data(outcome));
}

export function runIdOf(params: unknown): string {
  return parse(RunId, (params as { runId: string }).runId);
}

export function sessionIdOf(params: unknown): string {
  return parse(SessionId, (params as { sessionId: string }).sessionId);
}

export function noRun(runId: string) {
  return { code: "run_not_found", message: `There is no run ${runId}.` } as const;
}

export function noSession(sessionId: string) {
  return { code: "session_not_found", message: `There is no session ${sessionId}.` } as const;
}
