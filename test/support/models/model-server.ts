// A scripted OpenAI-compatible server that sends exactly the bytes of the test's script.
// It records every request, and whether the client hung up before the end of the answer.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type ReplyStep =
  | { step: "head"; status: number; headers: Record<string, string> }
  | { step: "bytes"; bytes: string | Uint8Array }
  | { step: "hang" }
  | { step: "cut" }
  | { step: "wait"; for: PromiseLike<unknown> };

/** Steps in order; the response ends after the last one. Status 200 and SSE unless it begins with a head. */
export type Reply = Iterable<ReplyStep> | AsyncIterable<ReplyStep>;

export type RecordedRequest = {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
  /** Resolves when the connection closes before the reply was over. */
  aborted: Promise<void>;
};

export type ModelServer = AsyncDisposable & {
  /** Ends in /v1, as a base URL does. */
  readonly baseUrl: string;
  readonly requests: readonly RecordedRequest[];
  /** The nth request (from 0), as soon as it has arrived. */
  request(index: number): Promise<RecordedRequest>;
};

export type ReplyHandler = (request: RecordedRequest, index: number) => Reply;

export async function startModelServer(
  script: ReplyHandler | readonly Reply[],
): Promise<ModelServer> {
  const reply: ReplyHandler =
    typeof script === "function" ? script : (_, index) => script[index] ?? unscripted;
  const requests: RecordedRequest[] = [];
  const waiting: (() => void)[] = [];

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const closed = once(response, "close");
    response.once("close", () => !response.writableFinished && resolve());
    const { url: path = "", headers } = request;
    const recorded = { path, headers, body: await readJson(request), aborted };
    requests.push(recorded);
    for (const wake of waiting.splice(0)) wake();
    await play(reply(recorded, requests.length - 1), response, closed);
  }

  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    async request(index) {
      for (;;) {
        const found = requests[index];
        if (found) return found;
        await new Promise<void>((resolve) => void waiting.push(resolve));
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function play(
  reply: Reply,
  response: ServerResponse,
  closed: Promise<unknown>,
): Promise<void> {
  for await (const step of reply) {
    if (response.closed) return;
    if (step.step === "head") {
      response.writeHead(step.status, step.headers);
      response.flushHeaders();
      continue;
    }
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    if (step.step === "bytes") await write(response, step.bytes, closed);
    else if (step.step === "wait") await step.for;
    else if (step.step === "cut") response.destroy();
    else {
      response.flushHeaders();
      await closed;
    }
  }
  if (!response.closed) response.end();
}

async function write(
  response: ServerResponse,
  bytes: string | Uint8Array,
  closed: Promise<unknown>,
) {
  const sent = new Promise<void>((resolve) => void response.write(bytes, () => resolve()));
  await Promise.race([sent, closed]);
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks = (await request.toArray()) as Buffer[];
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
}

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return [
    { step: "head", status, headers: { "content-type": "application/json", ...headers } },
    raw(JSON.stringify(body)),
  ];
}

export const hang: ReplyStep = { step: "hang" };
export const cut: ReplyStep = { step: "cut" };
export const done: ReplyStep = raw("data: [DONE]\n\n");

export function raw(bytes: string | Uint8Array): ReplyStep {
  return { step: "bytes", bytes };
}

export function waitFor(promise: PromiseLike<unknown>): ReplyStep {
  return { step: "wait", for: promise };
}

export function sse(chunk: unknown): ReplyStep {
  return raw(`data: ${JSON.stringify(chunk)}\n\n`);
}

/** One chunk with this delta, in the envelope real servers use. */
export function deltaChunk(delta: Record<string, unknown>): ReplyStep {
  return sse(envelope([{ index: 0, delta, finish_reason: null }]));
}

export function textChunk(content: string): ReplyStep {
  return deltaChunk({ content });
}

export function reasoningChunk(text: string): ReplyStep {
  return deltaChunk({ reasoning_content: text });
}

/** `null` leaves the field out: later deltas of a call usually carry neither id nor name. */
export function toolCallChunk(
  index: number | null,
  id: string | null,
  name: string | null,
  args: string,
): ReplyStep {
  const call = {
    ...(index !== null && { index }),
    ...(id !== null && { id, type: "function" }),
    function: { ...(name !== null && { name }), arguments: args },
  };
  return deltaChunk({ tool_calls: [call] });
}

/** The usual end: finish chunk, usage chunk if given, [DONE]. */
export function finish(reason: string, usage?: Record<string, unknown>): ReplyStep {
  const end = envelope([{ index: 0, delta: {}, finish_reason: reason }]);
  const chunks = usage === undefined ? [end] : [end, { ...envelope([]), usage }];
  const lines = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return raw(`${lines.join("")}data: [DONE]\n\n`);
}

function envelope(choices: readonly unknown[]) {
  return { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices };
}

const unscripted = answer(500, { error: { message: "model-server: no reply left in the script" } });
