// Every error a client can receive. The code is the contract; messages may change freely.
import { z } from "zod";

export const ERRORS = {
  invalid_json: { status: 400, retryable: false },
  invalid_request: { status: 400, retryable: false },
  too_deep: { status: 400, retryable: false },
  unauthorized: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  bad_host: { status: 403, retryable: false },
  bad_origin: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  run_not_found: { status: 404, retryable: false },
  session_not_found: { status: 404, retryable: false },
  blob_not_found: { status: 404, retryable: false },
  process_not_found: { status: 404, retryable: false },
  request_not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  cursor_invalid: { status: 409, retryable: false },
  idempotency_conflict: { status: 409, retryable: false },
  run_quarantined: { status: 409, retryable: false },
  no_runner: { status: 409, retryable: true },
  not_configured: { status: 409, retryable: false }, // nobody said where that is done
  volume_unreachable: { status: 409, retryable: false },
  too_large: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  range_not_satisfiable: { status: 416, retryable: false },
  rate_limited: { status: 429, retryable: true },
  internal: { status: 500, retryable: true },
  endpoint_failed: { status: 502, retryable: true }, // where it is done, it was not
  storage_full: { status: 507, retryable: true },
  unavailable: { status: 503, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

export type ErrorCode = keyof typeof ERRORS;
type Json = z.core.util.JSONType;

export const ErrorEnvelope = z.object({
  ok: z.literal(false),
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string(),
    details: z.json(),
  }),
});
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

/** Throw to refuse a request. Outcomes the caller must handle are return values, not ApiErrors. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: Json;

  constructor(code: ErrorCode, message: string, details: Json = {}) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.details = details;
  }
}

/** Given to safeParse: what is left out is called so, not “expected string, received undefined”. */
export const LABELS = {
  error: ({ code, input }: { code?: string | undefined; input?: unknown }) =>
    code === "invalid_type" && input === undefined ? "it is missing" : undefined,
};

export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const result = schema.safeParse(input, LABELS);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : "";
  throw new ApiError("invalid_request", `${where}${first?.message ?? "does not match"}`, {
    issues,
  });
}

export function toEnvelope(error: unknown): ErrorEnvelope {
  if (!(error instanceof ApiError)) {
    // Never forward an unexpected message: it can carry paths, SQL or secrets.
    return { ok: false, error: { code: "internal", message: "Internal error", details: {} } };
  }
  const { code, message, details } = error;
  return { ok: false, error: { code, message, details } };
}
