// One request to an endpoint that a person configured, with its key. Its answer is bounded in time and size, a
// redirect is an error (the key goes nowhere else), and what went wrong is told in words without the key.
import { ApiError } from "../../../kernel/events/errors.ts";
import { visibleLine } from "../../../kernel/text/visible-text.ts";

export type AudioEndpoint = {
  readonly url: string; // as "https://host/v1"
  readonly model: string;
  readonly key?: string | undefined;
  readonly timeoutMs: number;
};

export type Asking = {
  readonly path: string; // below the endpoint's address
  readonly body: FormData | string; // a text is JSON
  readonly accept: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

type Reason =
  | "unreachable"
  | "timeout"
  | "redirected"
  | "unauthorized"
  | "rate_limited"
  | "refused"
  | "too_large"
  | "bad_answer";

const MAX_ERROR = 65_536; // bytes of an answer that only says what is wrong

/** The bytes of a good answer; everything else is thrown as an ApiError, or as `signal.reason`. */
export async function askEndpoint(endpoint: AudioEndpoint, asking: Asking): Promise<Buffer> {
  const late = AbortSignal.timeout(endpoint.timeoutMs);
  try {
    return await asked(endpoint, asking, AbortSignal.any([asking.signal, late]));
  } catch (error) {
    asking.signal.throwIfAborted();
    if (error instanceof ApiError) throw error;
    if (late.aborted) {
      throw failed("timeout", `no answer within ${Math.round(endpoint.timeoutMs / 1_000)} s`);
    }
    throw failed("unreachable", `it cannot be reached (${codeOf(error)})`);
  }
}

async function asked(
  { url, key }: AudioEndpoint,
  { path, body, accept, maxBytes }: Asking,
  signal: AbortSignal,
): Promise<Buffer> {
  const response = await fetch(`${url.replace(/\/+$/, "")}${path}`, {
    method: "POST",
    headers: {
      accept,
      ...(typeof body === "string" && { "content-type": "application/json" }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body,
    redirect: "manual",
    signal,
  });
  const { status, ok } = response;
  const bytes = await bounded(response, ok ? maxBytes : MAX_ERROR);
  if (ok && bytes) return bytes;
  if (ok) throw failed("too_large", `its answer is larger than ${maxBytes / 1_000_000} MB`);
  if (status >= 300 && status < 400) {
    throw failed("redirected", `it answers ${status} and points elsewhere, where nothing is sent`);
  }
  throw failed(reasonOf(status), `it answers ${status}${saidIn(bytes, key)}`);
}

/** Undefined: there is more than that, and the rest is not read. */
async function bounded({ body }: Response, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined; // leaving the loop hangs up
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reasonOf(status: number): Reason {
  if (status === 401 || status === 403) return "unauthorized";
  return status === 429 ? "rate_limited" : "refused";
}

/** What the endpoint says itself, where it says it in JSON. It may send back what it was sent. */
function saidIn(bytes: Buffer | undefined, key: string | undefined): string {
  let said: unknown;
  try {
    const { error, message, detail } = JSON.parse(bytes?.toString("utf8") ?? "") as Said;
    said = (typeof error === "object" ? error?.message : error) ?? message ?? detail;
  } catch {
    return ""; // a page of some proxy says nothing to a person
  }
  if (typeof said !== "string" || said === "") return "";
  const safe = key ? said.replaceAll(key, "[key]") : said;
  return `: ${visibleLine(safe).slice(0, 300)}`;
}

type Said = { error?: { message?: unknown } | string | null; message?: unknown; detail?: unknown };

export function failed(reason: Reason, what: string): ApiError {
  return new ApiError("endpoint_failed", `The endpoint did not do it: ${what}.`, { reason });
}

function codeOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = cause?.code ?? code;
  return typeof known === "string" ? known : "no connection";
}
