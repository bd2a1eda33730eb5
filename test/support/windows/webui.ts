// A page of the run contract, for tests: plain requests, and a reader of its named streams that knows only what is on
// the wire.
import type { AddressInfo } from "node:net";
import type { Journal } from "../../../src/kernel/journal/journal.ts";
import { createApp } from "../../../src/cli/create-app.ts";
import { appDeps, TOKEN } from "../app-deps.ts";
import { call, readEvents, type Frame, type ReadOptions, type Server } from "../http.ts";

export type Fields = Record<string, unknown>;
export type Emitted = { id: string; seq: number; event: string; data: Fields };

export async function ask<Body = Fields>(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body }> {
  const { status, body: given } = await call(server, method, path, body, headers);
  return { status, body: given as unknown as Body };
}

export type Started = {
  stream_id: string;
  session_id: string;
  pending_started_at: number;
  turn_id: string;
  title: string;
  effective_model?: string;
  effective_model_provider?: string;
};

export async function startChat(server: Server, session_id: string, message: string, more = {}) {
  const sent = { session_id, message, ...more };
  const { status, body } = await ask<Started>(server, "POST", "/api/chat/start", sent);
  if (status !== 200) throw new Error(`chat/start: ${status} ${JSON.stringify(body)}`);
  return body;
}

type Watching = Omit<ReadOptions, "until" | "take"> & {
  /** Stop after this many comments. */
  comments?: number;
  query?: string;
  take?: number;
  until?: (emitted: Emitted) => boolean;
};

/** Reads a run's stream until it ends, or as told. Comments are no frames. */
export async function watchChat(server: Server, streamId: string, options: Watching = {}) {
  const path = `/api/chat/stream?stream_id=${encodeURIComponent(streamId)}${options.query ?? ""}`;
  return watchStream(server, path, options);
}

export async function watchStream(server: Server, path: string, options: Watching = {}) {
  const { take, comments, until, ...rest } = options;
  let [count, beats] = [0, 0];
  const enough = (frame: Frame) => {
    if (frame.data === "") return (beats += 1) === comments;
    count += 1;
    return count === take || (until?.(toEmitted(frame)) ?? false);
  };
  const { frames, ended, status } = await readEvents(server, path, { ...rest, until: enough });
  const emitted = frames.filter(({ data }) => data !== "").map(toEmitted);
  return { emitted, ended, status, comments: frames.length - emitted.length };
}

function toEmitted({ id = "", event = "", data }: Frame): Emitted {
  const seq = Number(id.slice(id.lastIndexOf(":") + 1));
  return { id, seq, event, data: JSON.parse(data) as Fields };
}

/** Follows a run to its end, and reconnects with its cursor whatever is killed meanwhile. */
export async function followChat(server: () => Server, streamId: string): Promise<Emitted[]> {
  const emitted: Emitted[] = [];
  const deadline = performance.now() + 60_000;
  while (emitted.at(-1)?.event !== "stream_end") {
    if (performance.now() > deadline) throw new Error(`${streamId} did not end`);
    const got = await watchChat(server(), streamId, { after: emitted.at(-1)?.id });
    emitted.push(...got.emitted);
  }
  return emitted;
}

export const eventsNamed = (emitted: readonly Emitted[], name: string) =>
  emitted.filter(({ event }) => event === name).map(({ data }) => data);

/** What a page shows of the answer: tokens, one after the other. */
export const textOf = (emitted: readonly Emitted[]) =>
  eventsNamed(emitted, "token")
    .map(({ text }) => text as string)
    .join("");

type Message = { role: string; content: string; reasoning?: string };

/** The conversation in the stream's last frame, which replaces the page's. */
export function messagesIn(emitted: readonly Emitted[]): string[] {
  const end = emitted.findLast(({ data }) => data["session"] !== undefined);
  const session = end?.data["session"] as { messages: Message[] } | undefined;
  return (session?.messages ?? []).map(({ role, content }) => `${role}: ${content.trim()}`);
}

export type Served = Server & AsyncDisposable;

type Serving = { heartbeatMs?: number; failed?: (error: unknown) => void };

/** The server in this process, without a runner: tests write what happens. */
export function webuiApp(
  journal: Journal,
  webRoot: string,
  { heartbeatMs = 60_000, failed = fail }: Serving = {},
) {
  return createApp(appDeps(journal, { webRoot, heartbeatMs, logError: failed }));
}

/** The same on a real socket. */
export async function serveWebui(
  journal: Journal,
  webRoot: string,
  serving: Serving = {},
): Promise<Served> {
  const app = await webuiApp(journal, webRoot, serving);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

function fail(error: unknown): never {
  throw error;
}
