// The form of responses: `{ok:true,data}`; 202 when a command was accepted, 200 when it was answered otherwise. "Too
// late" is an answer, not an error.
import type { FastifyReply } from "fastify";
import type { Outcome } from "../../events/commands.ts";
import { ApiError, type ErrorCode } from "../../events/errors.ts";

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

export function sendOutcome(reply: FastifyReply, outcome: Outcome): FastifyReply {
  return reply.status(STATUS[outcome.status]).send(data(outcome));
}

/** What was asked for, or the refusal that says it is not there. */
export function requireFound<Value>(
  value: Value | undefined,
  { code, message }: { readonly code: ErrorCode; readonly message: string },
): Value {
  if (value === undefined) throw new ApiError(code, message);
  return value;
}

export function noRun(runId: string) {
  return { code: "run_not_found", message: `There is no run ${runId}.` } as const;
}

export function noSession(sessionId: string) {
  return { code: "session_not_found", message: `There is no session ${sessionId}.` } as const;
}
