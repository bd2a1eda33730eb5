// Turns whatever the SDK, fetch or a provider throws into a ModelError.
// Provider text enters a message only with keys removed and cut to 300 characters; the original error is never kept
// as a cause, because it carries the request, the response body and the headers.
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from "@ai-sdk/provider";
import { z } from "zod";
import { ModelError, type ModelErrorCode } from "../model.ts";
import { own } from "../../../events/own.ts";

const MAX_MESSAGE_CHARS = 300;
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
const TIMEOUT_CODES = new Set([
  "ETIMEDOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

// Servers that have no machine-readable code for this only say it in words.
const CONTEXT_LABELS =
  /context (length|window|size|limit)|maximum context|(prompt|input|request) is too (long|large)|too many (input )?tokens|reduce the length|exceeds? the .{0,40}\b(tokens?|context)\b/i;

const STATUS_CODES: Record<number, ModelErrorCode> = {
  401: "auth",
  402: "auth", // no credit: a matter of the account, not of time
  403: "auth",
  404: "unknown_model",
  408: "timeout",
  409: "overloaded",
  413: "context_length",
  425: "overloaded",
  429: "rate_limited",
};

const PROVIDER_CODES: Record<string, ModelErrorCode> = {
  context_length_exceeded: "context_length",
  exceed_context_size_error: "context_length",
  model_not_found: "unknown_model",
  invalid_api_key: "auth",
  authentication_error: "auth",
  permission_error: "auth",
  insufficient_quota: "auth",
  billing_error: "auth",
  rate_limit_exceeded: "rate_limited",
  rate_limit_error: "rate_limited",
  overloaded_error: "overloaded",
  api_error: "overloaded",
  server_error: "overloaded",
  timeout_error: "timeout",
  not_found_error: "unknown_model",
  request_too_large: "context_length",
  // Google's
  API_KEY_INVALID: "auth",
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "auth",
  NOT_FOUND: "unknown_model",
  RESOURCE_EXHAUSTED: "rate_limited",
  UNAVAILABLE: "overloaded",
  INTERNAL: "overloaded",
  DEADLINE_EXCEEDED: "timeout",
};

const Detail = z.object({ reason: z.string().optional(), retryDelay: z.string().optional() });
const ProviderError = z.object({
  message: z.string(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  status: z.string().nullish().catch(null), // Google's name for the code
  statusCode: z.number().nullish(), // what the SDK makes of an error in the stream
  details: z.array(Detail).nullish().catch(null),
});
type ProviderError = z.infer<typeof ProviderError>;

export type FailureContext = { apiKey: string | undefined; finishSeen: boolean };

/** For what was thrown: by the request, or by the response stream. */
export function failureOf(error: unknown, context: FailureContext): ModelError {
  const own = causes(error).find((cause) => cause instanceof ModelError);
  if (own) return own;
  if (InvalidResponseDataError.isInstance(error)) {
    return context.finishSeen
      ? new ModelError("malformed_output", "The model's response breaks the protocol")
      : incomplete();
  }
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 300) {
    return refusal(error, error.statusCode, context);
  }
  if (causes(error).some((cause) => EmptyResponseBodyError.isInstance(cause))) return incomplete();
  // The SDK's own complaints about what it read have neither a code nor a cause; a connection's have one.
  if (error instanceof Error && error.name === "Error" && error.cause === undefined) {
    const { code } = error as { code?: unknown };
    if (code === undefined) return brokenChunk();
  }
  return connectionFailure(error);
}

/** For an error the SDK reports inside the stream: an error chunk, a bad chunk or a missing end. */
export function streamedFailureOf(error: unknown, context: FailureContext): ModelError {
  if (InvalidResponseDataError.isInstance(error)) return incomplete();
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) {
    return brokenChunk();
  }
  if (APICallError.isInstance(error)) return failureOf(error, context);
  const { success, data } = ProviderError.safeParse(error);
  if (!success) {
    return new ModelError("malformed_output", "The model sent an error that says nothing");
  }
  return new ModelError(
    codeOfProvider(data) ?? codeOfErrorChunk(data),
    describe("The model failed while answering", data.message, context.apiKey),
    waitOf(retryDelay(data)),
  );
}

function refusal(error: APICallError, status: number, { apiKey }: FailureContext): ModelError {
  const body = bodyOf(error.data);
  const byProvider = body && codeOfProvider(body);
  const byStatus = codeOfStatus(status);
  // Some servers answer 500 to a prompt that does not fit: trying again would never help.
  const fits =
    !(status === 500 || byStatus === "bad_request") || !CONTEXT_LABELS.test(error.message);
  const code = fits ? (byProvider ?? byStatus) : "context_length";
  return new ModelError(
    code,
    status < 400
      ? `The model's server redirects (${status}), which is not followed: set its final address`
      : describe(`The model's server answered ${status}`, error.message, apiKey),
    waitOf(parseRetryAfter(error.responseHeaders ?? {}) ?? (body && retryDelay(body))),
  );
}

const Body = z.union([
  z.object({ error: ProviderError }).transform(({ error }) => error),
  z.object({ response: z.object({ error: ProviderError }) }).transform((o) => o.response.error),
  ProviderError, // OpenAI's bare error event
]);

function bodyOf(data: unknown): ProviderError | undefined {
  return Body.safeParse(data).data;
}

function codeOfStatus(status: number): ModelErrorCode {
  return STATUS_CODES[status] ?? (status >= 500 ? "overloaded" : "bad_request");
}

function codeOfErrorChunk({ code, type, message, statusCode }: ProviderError): ModelErrorCode {
  if (CONTEXT_LABELS.test(message)) return "context_length";
  if (typeof code === "number") return codeOfStatus(code);
  if (statusCode != null) return codeOfStatus(statusCode);
  return type === "invalid_request_error" ? "bad_request" : "overloaded";
}

function codeOfProvider({ code, type, status, details }: ProviderError) {
  return [...(details ?? []).map(({ reason }) => reason), code, type, status]
    .filter((name) => typeof name === "string")
    .map((name) => own(PROVIDER_CODES, name))
    .find((found) => found !== undefined);
}

function connectionFailure(error: unknown): ModelError {
  const code = causes(error)
    .map((cause) => (cause as { code?: unknown }).code)
    .find((value) => typeof value === "string");
  // Only the code: the message of a fetch error can hold the whole URL, credentials included.
  const name = code ?? (error instanceof Error ? error.name : "unknown");
  if (code === "ERR_INVALID_URL") {
    return new ModelError("bad_request", "The model's base URL is not a URL");
  }
  return code !== undefined && TIMEOUT_CODES.has(code)
    ? new ModelError("timeout", `The model's server took too long (${name})`)
    : new ModelError("network", `The connection to the model failed (${name})`);
}

function brokenChunk(): ModelError {
  return new ModelError("malformed_output", "The model sent a chunk that is not a valid chunk");
}

export function incomplete(): ModelError {
  return new ModelError("incomplete", "The model's response ended before it was finished");
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && !chain.includes(at); at = at.cause) chain.push(at);
  return chain;
}

function describe(prefix: string, providerText: string, apiKey: string | undefined): string {
  const text = redact(providerText, apiKey)
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .toWellFormed();
  return (text === "" ? prefix : `${prefix}: ${text}`).slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}

function redact(text: string, apiKey: string | undefined): string {
  if (!apiKey) return text;
  const key = Buffer.from(apiKey);
  const forms = [
    apiKey,
    encodeURIComponent(apiKey.toWellFormed()),
    key.toString("base64"),
    key.toString("hex"),
  ];
  return forms.reduce((clean, form) => clean.replaceAll(form, "[redacted]"), text);
}

function waitOf(ms: number | undefined): { retryAfterMs?: number } {
  return ms === undefined ? {} : { retryAfterMs: ms };
}

/** Google says it in the body, as "37s". */
function retryDelay({ details }: ProviderError): number | undefined {
  const [, seconds] =
    /^(\d+(?:\.\d+)?)s$/.exec(details?.find(({ retryDelay: delay }) => delay)?.retryDelay ?? "") ??
    [];
  return seconds === undefined ? undefined : boundedWait(Number(seconds) * 1000);
}

function boundedWait(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS);
}

function parseRetryAfter(headers: Record<string, string>): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  const value = headers["retry-after"] ?? "";
  const seconds = value.trim() === "" ? Number.NaN : Number(value);
  const date = Date.parse(value) - Date.now();
  const wait = [milliseconds, seconds * 1000, date].find((number) => Number.isFinite(number));
  return wait === undefined ? undefined : boundedWait(wait);
}
