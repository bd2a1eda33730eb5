// Errors as clients of an OpenAI-like API read them: `{"error":{"message","type","param","code"}}`.
import type { FastifyError, FastifyInstance } from "fastify";
import { ERRORS } from "../../kernel/events/errors.ts";
import { toErrorResponse } from "../../kernel/server/error-response.ts";

/** An error with a code of this API's own. Throw it; the plugin's handler sends it. */
export class V1Error extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, code: string, message: string, param: string | null = null) {
    super(message);
    this.name = "V1Error";
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

const CODES: Readonly<Record<string, string>> = {
  idempotency_conflict: "idempotency_key_conflict",
  unauthorized: "invalid_api_key",
};

/** Official clients try 409 and 5xx again by themselves; where that helps nobody they are told. */
export function v1Errors(app: FastifyInstance, logError: (error: unknown) => void): void {
  app.setErrorHandler((error: FastifyError | V1Error, _request, reply) => {
    if (error instanceof V1Error) {
      if (error.status !== 429) reply.header("x-should-retry", "false");
      return reply.status(error.status).send(body(error.status, error));
    }
    const { code, status, envelope } = toErrorResponse(error);
    if (code === "internal") logError(error);
    if (!ERRORS[code].retryable) reply.header("x-should-retry", "false");
    const { message, details } = envelope.error;
    const said = { code: ownCode(details) ?? CODES[code] ?? code, message };
    return reply.status(status).send(body(status, { ...said, param: firstPath(details) }));
  });
}

function body(status: number, said: { code: string; message: string; param: string | null }) {
  const { code, message, param } = said;
  return { error: { message, type: typeOf(status), param, code } };
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

/** A parser's own word for what is wrong. */
function ownCode(details: unknown): string | undefined {
  return (details as { code?: string } | null)?.code;
}

/** Of what a schema refused. */
function firstPath(details: unknown): string | null {
  const issues = (details as { issues?: { path: string }[] } | null)?.issues;
  return issues?.[0]?.path || null;
}
