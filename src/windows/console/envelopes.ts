// The three envelopes of the console: success, error and "this server cannot do that". Bodies are a
// superset of the document's shape (`data`) and of what its real client reads (the same fields flat).
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { CONSOLE_ERRORS, fieldCode, type ConsoleErrorCode } from "./wire/errors.ts";
import { LABELS } from "../../kernel/events/errors.ts";
import { ClientKey } from "../../kernel/events/ids.ts";
import { toErrorResponse } from "../../kernel/server/error-response.ts";

type Details = Readonly<Record<string, z.core.util.JSONType>>;

export function both<Fields extends object>(fields: Fields): { ok: true; data: Fields } & Fields {
  return { ok: true, data: fields, ...fields };
}

/** Not an error: clients hide what is not there. */
export function capability(reason: string, details: Details = {}) {
  return both({ supported: false as const, reason, details });
}

/** For pages whose means this server was not given: each says so, and nothing that was sent is read. */
export async function notHere({ method, routeOptions }: FastifyRequest, reply: FastifyReply) {
  const namespace = routeOptions.url?.split("/")[3] ?? "";
  const reason = `${namespace.replaceAll("-", "_")}_unavailable`;
  return reply.send(capability(reason, { namespace, method }));
}

/** Throw to refuse. The handler below makes it the error envelope. */
export class ConsoleError extends Error {
  readonly code: ConsoleErrorCode;
  readonly details: Details;

  constructor(code: ConsoleErrorCode, message: string, details: Details = {}) {
    super(message);
    this.name = "ConsoleError";
    this.code = code;
    this.details = details;
  }
}

export function consoleErrors(app: FastifyInstance, logError: (error: unknown) => void): void {
  app.setErrorHandler((error: FastifyError | ConsoleError, _request, reply) => {
    if (error instanceof ConsoleError) {
      const { code, message, details } = error;
      return reply.status(CONSOLE_ERRORS[code]).send(refused(code, message, details));
    }
    const { code, status, envelope } = toErrorResponse(error);
    if (code === "internal") logError(error);
    return reply.status(status).send(refused(code, envelope.error.message, envelope.error.details));
  });
}

/**
 * Real clients look for `run_id` and the like directly in `error`. The document has one code for everything that is
 * not there; which thing it is stands in `reason`.
 */
function refused(code: string, message: string, given: z.core.util.JSONType) {
  const flat = typeof given === "object" && given !== null && !Array.isArray(given) ? given : {};
  if (!code.endsWith("_not_found")) {
    return { ok: false, error: { ...flat, code, message, details: given } } as const;
  }
  const details = { ...flat, reason: code };
  return { ok: false, error: { ...details, code: "not_found", message, details } } as const;
}

/** Reads a body, a query or parameters. What does not fit is told with the code of its field. */
export function take<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const given = input ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new ConsoleError("invalid_json", "The body must be a JSON object.");
  }
  const result = schema.safeParse(given, LABELS);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  const field = String(result.error.issues[0]?.path[0] ?? "");
  const why = `${field ? `${field}: ` : ""}${issues[0]?.message ?? "does not match"}`;
  throw new ConsoleError(fieldCode(field), why.slice(0, 500), { issues: issues.slice(0, 20) });
}

/** Any of them names a command. */
export type Keys = {
  readonly message_id?: string | null | undefined;
  readonly client_message_id?: string | null | undefined;
  readonly command_id?: string | null | undefined;
};
const Key = z.object({ message_id: ClientKey });

/** By which a repeated command is recognised; undefined when the client gave it no name. */
export function keyOf(
  body: Keys,
  { headers }: Pick<FastifyRequest, "headers">,
): string | undefined {
  const key =
    body.message_id ?? body.client_message_id ?? body.command_id ?? headers["idempotency-key"];
  return key === undefined ? undefined : take(Key, { message_id: key }).message_id;
}
