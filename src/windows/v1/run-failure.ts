// A failed run as an HTTP error, for answers that have no other place for it. Official clients try some
// of these again by themselves, which would be a second run: they are told not to.
import type { FastifyReply } from "fastify";
import type { ResponsesState } from "./wire/responses/object.ts";
import { V1Error } from "./v1-error.ts";
import { own } from "../../kernel/events/own.ts";

const BY_CODE: Readonly<Record<string, { status: number; code: string }>> = {
  model_unknown_model: { status: 404, code: "model_not_found" },
  model_bad_request: { status: 400, code: "model_bad_request" },
  model_context_length: { status: 400, code: "context_length_exceeded" },
  model_rate_limited: { status: 429, code: "rate_limit_exceeded" },
  agent_setup: { status: 400, code: "agent_setup" },
};

export function runFailure(
  reply: FastifyReply,
  { code, message }: NonNullable<ResponsesState["error"]>,
): V1Error {
  const known = own(BY_CODE, code);
  const { status, code: said } = known ?? { status: 502, code };
  reply.header("x-should-retry", "false");
  return new V1Error(status, said, message, status === 404 ? "model" : null);
}
