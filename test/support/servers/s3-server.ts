// A small S3 on 127.0.0.1 that checks requests as strictly as the real one, keeps objects in memory, and fails in the
// ways that a test selects.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Credentials, signatureProblem } from "./s3-signature.ts";

/**
 * `drop`: no answer at all. `half`: the right head, half of the content, then nothing. `short`: half of
 * the content as if it were all. `hang`: neither answer nor end. A number: that status.
 */
export type S3Fault = "drop" | "half" | "short" | "hang" | number;
export type S3Seen = {
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  /** What was answered; 0 if nothing was. */
  status: number;
};
type Planned = { readonly fault: S3Fault; readonly method: string | undefined; left: number };

export type S3Server = AsyncDisposable & {
  readonly endpoint: string;
  readonly bucket: string;
  readonly credentials: Credentials;
  /** By path within the bucket. A test may tamper with them. */
  readonly objects: Map<string, Buffer>;
  readonly requests: readonly S3Seen[];
  /** The next `times` requests (of one method) fail, after failures that were planned earlier. */
  fail(fault: S3Fault, times: number, method?: string): void;
  /** Resolves when a request hangs. */
  hanging(): Promise<void>;
};

const BUCKET = "blobs-of-tests";

export async function startS3(): Promise<S3Server> {
  const credentials = {
    accessKeyId: "AKIDTEST",
    secretAccessKey: "not+a/real-secret",
    region: "eu-test-1",
  };
  const objects = new Map<string, Buffer>();
  const requests: S3Seen[] = [];
  const planned: Planned[] = [];
  const hanging = Promise.withResolvers<void>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: path = "", headers } = request;
    const seen: S3Seen = { method, path, range: headers.range, status: 0 };
    requests.push(seen);
    response.once("finish", () => (seen.status = response.statusCode));
    const body = await bodyOf(request);
    const fault = take(planned, method);
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "hang") return hanging.resolve();
    if (typeof fault === "number") return refuse(response, fault, "ServiceUnavailable");
    const problem = problemOf(request, body, credentials);
    if (problem) return refuse(response, problem.status, problem.code);
    const name = path.startsWith(`/${BUCKET}/`) ? path.slice(BUCKET.length + 2) : undefined;
    if (name === undefined) return refuse(response, 404, "NoSuchBucket");
    if (method === "PUT") {
      objects.set(name, body);
      return void response.writeHead(200, { etag: '"put"' }).end();
    }
    give(response, { method, content: objects.get(name), range: headers.range, fault });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: BUCKET,
    credentials,
    objects,
    requests,
    fail: (fault, times, method) => void planned.push({ fault, method, left: times }),
    hanging: () => hanging.promise,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function take(planned: readonly Planned[], method: string): S3Fault | undefined {
  const fitting = planned.find((plan) => plan.left > 0 && (plan.method ?? method) === method);
  if (fitting) fitting.left -= 1;
  return fitting?.fault;
}

function problemOf(request: IncomingMessage, body: Buffer, credentials: Credentials) {
  const code = signatureProblem(request, credentials);
  if (code) return { status: 403, code };
  if (!["GET", "HEAD", "PUT"].includes(request.method ?? "")) {
    return { status: 405, code: "MethodNotAllowed" };
  }
  if (request.method === "PUT" && request.headers["content-length"] === undefined) {
    return { status: 411, code: "MissingContentLength" };
  }
  const hash = createHash("sha256").update(body).digest("hex");
  if (request.headers["x-amz-content-sha256"] !== hash) {
    return { status: 400, code: "XAmzContentSHA256Mismatch" };
  }
}

type Asked = {
  method: string;
  content: Buffer | undefined;
  range: string | undefined;
  fault: S3Fault | undefined;
};

function give(response: ServerResponse, { method, content: stored, range, fault }: Asked): void {
  if (!stored) return refuse(response, 404, "NoSuchKey");
  const content = fault === "short" ? stored.subarray(0, stored.length / 2) : stored;
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  const start = Number(from ?? 0);
  const end = Math.min(Number(to ?? Infinity), content.length - 1);
  if (from !== undefined && start > end) return refuse(response, 416, "InvalidRange");
  const part = content.subarray(start, end + 1);
  response.writeHead(from === undefined ? 200 : 206, {
    "content-length": part.length,
    ...(from !== undefined && { "content-range": `bytes ${start}-${end}/${content.length}` }),
  });
  if (method === "HEAD") return void response.end();
  if (fault !== "half") return void response.end(part);
  response.write(part.subarray(0, part.length / 2), () => response.destroy());
}

/** An error like the real one's, with details that a program must not repeat. */
function refuse(response: ServerResponse, status: number, code: string): void {
  const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>private</Message></Error>`;
  response.writeHead(status, { "content-type": "application/xml" }).end(text);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await request.toArray()) as Buffer[]);
}
