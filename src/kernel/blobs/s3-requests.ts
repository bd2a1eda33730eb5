// Signed requests to an S3-compatible store: addresses, retries, and errors that never include a header, a body or a key.
import { createHash } from "node:crypto";
import { AwsClient } from "aws4fetch";
import { retried } from "./retry.ts";

export type S3Options = {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly prefix?: string;
  /** The bucket is in the path, as MinIO and most others require, not in the host name. */
  readonly pathStyle: boolean;
  readonly retryBaseMs?: number;
};

export type S3Request = {
  readonly method: "GET" | "HEAD" | "PUT";
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  /** Created for every attempt, because a stream can be sent only once. */
  readonly content?: {
    readonly sha256: string;
    readonly bytes: number;
    body(): AsyncIterable<Buffer>;
  };
};

/** `isPassing`: the same request may succeed later. */
export class S3Error extends Error {
  override name = "S3Error";
  readonly isPassing: boolean;
  constructor(message: string, isPassing = false) {
    super(message);
    this.isPassing = isPassing;
  }
}

export type S3 = {
  readonly retryBaseMs: number;
  /** The answer; the caller must read or cancel its body. Not found is an answer, a refusal throws. */
  send(key: string, request: S3Request): Promise<Response>;
};

export const ATTEMPTS = 6;
const ANSWER_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 100;
const NO_CONTENT = createHash("sha256").digest("hex");

export function s3Requests(options: S3Options): S3 {
  const { region, accessKeyId, secretAccessKey, sessionToken, retryBaseMs = 100 } = options;
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    region,
    service: "s3",
    ...(sessionToken !== undefined && { sessionToken }),
  });

  async function attempt(key: string, { method, headers, signal, content }: S3Request) {
    const stop = new AbortController();
    const leave = () => stop.abort();
    signal?.addEventListener("abort", leave, { once: true });
    const limit = ANSWER_MS + (content?.bytes ?? 0) / SLOWEST_BYTES_PER_MS;
    const timer = setTimeout(leave, limit);
    try {
      signal?.throwIfAborted();
      const request = await client.sign(objectUrl(options, key), {
        method,
        headers: {
          ...headers,
          "x-amz-content-sha256": content?.sha256 ?? NO_CONTENT,
          ...(content && { "content-length": String(content.bytes) }),
        },
        // A redirect must not receive our signature.
        redirect: "manual",
        signal: stop.signal,
        ...(content && content.bytes > 0 && { body: streamOf(content.body()), duplex: "half" }),
      });
      // Unsigned, because some proxies rewrite it. With compression the store would send another length.
      request.headers.set("accept-encoding", "identity");
      return await fetch(request);
    } catch (error) {
      signal?.throwIfAborted();
      throw new S3Error(`${method} of a blob failed: ${reasonOf(error)}.`, true);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    retryBaseMs,
    send: (key, request) =>
      retried(
        async () => {
          const response = await attempt(key, request);
          if (response.ok || response.status === 404) return response;
          throw await refusal(request.method, response);
        },
        { attempts: ATTEMPTS, baseMs: retryBaseMs, isPassing, ...pick(request.signal) },
      ),
  };
}

export function isPassing(error: unknown): boolean {
  return error instanceof S3Error && error.isPassing;
}

export function objectUrl(options: S3Options, key: string): string {
  const { endpoint, bucket, prefix, pathStyle } = options;
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  const before = [url.pathname, pathStyle ? bucket : "", prefix ?? "", key];
  const names = before.flatMap((part) => part.split("/")).filter((name) => name !== "");
  url.pathname = `/${names.map(encodeURIComponent).join("/")}`;
  return url.href;
}

/** Only the code of a refusal: the rest may repeat what was sent. */
export async function refusal(method: string, response: Response): Promise<S3Error> {
  const { status } = response;
  const text = (await response.text().catch(() => "")).slice(0, 4_096);
  const code = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text)?.[1];
  const answer = `The S3 store answered ${status}${code ? ` ${code}` : ""} to ${method} of a blob`;
  const isTemporary = status >= 500 || status === 429 || status === 408 || code === "SlowDown";
  return new S3Error(`${answer}${ADVICE[status] ?? ""}.`, isTemporary);
}

const ADVICE: Readonly<Record<number, string>> = {
  301: ": the bucket is elsewhere, check the endpoint and the region",
  307: ": the bucket is elsewhere, check the endpoint and the region",
  403: ": check the key, the region and its rights (GetObject, PutObject and ListBucket)",
};

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === "AbortError") return "the S3 store did not answer in time";
  const { code } = (cause ?? {}) as { code?: unknown };
  const isCode = typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code);
  return `the S3 store could not be reached${isCode ? ` (${code})` : ""}`;
}

function streamOf(body: AsyncIterable<Buffer>): ReadableStream {
  return ReadableStream.from(body) as ReadableStream;
}

function pick(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}
