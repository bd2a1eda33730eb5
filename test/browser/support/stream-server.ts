// A real HTTP server that misbehaves on request: each connection plays the next script. Tests see what a
// window sees when networks drop, repeat and refuse.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Outcome } from "../../../src/kernel/events/commands.ts";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { createApi } from "../../../src/kernel/client/api.ts";

export type Script = (stream: TestStream, after: number) => void | Promise<void>;
export type TestStream = {
  events(events: readonly RunEvent[]): void;
  heartbeat(head: number, epoch: string): void;
  raw(text: string): void;
  outcome(status: Outcome["status"]): void;
  refuse(status: number, error: { code: string; details?: unknown }): void;
  drop(): void;
  end(): void;
};

export async function startStreamServer(scripts: readonly Script[]) {
  const requests: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const play = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    if (body !== "") bodies.push(JSON.parse(body) as Record<string, unknown>);
    requests.push(request.url ?? "");
    const script = scripts[Math.min(requests.length, scripts.length) - 1];
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    const after = Number(new URL(request.url ?? "", "http://x").searchParams.get("after_seq"));
    await script?.(streamOf(request, response), after);
  };
  const server = createServer((request, response) => {
    play(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    bodies,
    api: createApi({
      base: `http://127.0.0.1:${port}`,
      credentials: { kind: "bearer", token: "test" },
    }),
    async connections(count: number): Promise<void> {
      if (requests.length >= count) return;
      await new Promise<void>((resolve) => waiting.push({ count, resolve }));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function streamOf(request: IncomingMessage, response: ServerResponse): TestStream {
  const write = (text: string) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text);
  };
  return {
    events: (events) =>
      write(events.map((e) => `id: ${e.session_seq}\ndata: ${JSON.stringify(e)}\n\n`).join("")),
    heartbeat: (head, epoch) =>
      write(`event: heartbeat\ndata: ${JSON.stringify({ head, epoch })}\n\n`),
    raw: write,
    outcome: (status) => {
      const accepted = status === "accepted" || status === "duplicate";
      const ids = { run_id: "r1", session_id: "s1", event_id: null };
      const data: Outcome = { accepted, status, ...ids, safe_message: status };
      response.writeHead(accepted ? 202 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ok: true, data }));
    },
    refuse: (status, { code, details = {} }) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ ok: false, error: { code, message: code, details } }));
    },
    drop: () => request.socket.destroy(),
    end: () => response.end(),
  };
}

/** Settles when `isTrue` holds; asked again at every change, never by the clock. */
export function until(
  store: { subscribe: (listener: () => void) => () => void },
  isTrue: () => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isTrue()) return;
      stop();
      resolve();
    };
    const stop = store.subscribe(check);
    check();
  });
}

type Parts = { type: RunEvent["type"]; payload: unknown; run_id?: string };

/** Events as a journal would number them: one session, any number of runs. */
export function journalOf(sessionId: string, parts: readonly Parts[]): RunEvent[] {
  const seqs = new Map<string, number>();
  return parts.map(({ type, payload, run_id = sessionId }, index) => {
    const seq = (seqs.get(run_id) ?? 0) + 1;
    seqs.set(run_id, seq);
    return {
      event_id: `${run_id}:${seq}`,
      seq,
      run_id,
      session_id: sessionId,
      session_seq: index + 1,
      epoch: "e1",
      created_at: 1_000 + index,
      terminal: type === "done",
      prev_hash: "",
      hash: "",
      type,
      payload,
    } as RunEvent;
  });
}

export function talk(sessionId: string, runId: string, words: readonly string[]): RunEvent[] {
  const usage = {
    input_tokens: 1,
    output_tokens: 2,
    total_tokens: 3,
    reasoning_tokens: null,
    cached_tokens: null,
    cost_usd: null,
  };
  return journalOf(sessionId, [
    { type: "session.created", payload: { title: "Talk", model: "demo/demo" } },
    {
      type: "message.user",
      run_id: runId,
      payload: { message_id: "u1", text: "hi", mode: "start", attachments: [] },
    },
    {
      type: "run.queued",
      run_id: runId,
      payload: { model: "demo/demo", parent_run_id: null, depth: 0 },
    },
    { type: "run.started", run_id: runId, payload: { runner_id: "w1", model: "demo/demo" } },
    ...words.map((delta) => ({
      type: "token.delta" as const,
      run_id: runId,
      payload: { message_id: "m1", delta, content_type: "text" },
    })),
    {
      type: "done",
      run_id: runId,
      payload: { status: "completed", result: words.join(""), error: null, usage, last_seq: 1 },
    },
  ]);
}
