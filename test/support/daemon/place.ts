// The daemon window in this process, over a real journal and real sockets.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../../src/kernel/journal/journal.ts";
import type { DaemonEnvelope } from "../../../src/windows/daemon/wire/events.ts";
import { daemonDialect } from "../../../src/windows/daemon/wire/daemon.ts";
import { encode } from "../../../src/kernel/dialect/dialect.ts";
import { createApp } from "../../../src/cli/create-app.ts";
import { appDeps, TOKEN } from "../app-deps.ts";
import { until } from "../until.ts";

export const headers = { authorization: `Bearer ${TOKEN}` };

export async function serveDaemon(journal: Journal, options: { heartbeatMs?: number } = {}) {
  const errors: unknown[] = [];
  const logError = (error: unknown) => void errors.push(error);
  const deps = appDeps(journal, { ...options, logError });
  const { tails: following, open } = deps.streams;
  const app = await createApp(deps);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/api/daemon/ws`,
    port,
    following,
    open,
    errors,
    [Symbol.asyncDispose]: async () => {
      for (const subscriber of open) subscriber.end();
      following.stop();
      await app.close();
    },
  };
}

export type Reply = { readonly method: string } & Record<string, unknown>;

/** A client that records every message, and separates envelopes from replies. */
export async function connectDaemon(url: string) {
  const ws = new WebSocket(url, { headers });
  const texts: string[] = [];
  ws.on("message", (data: Buffer) => void texts.push(data.toString()));
  ws.on("error", () => undefined);
  await once(ws, "open");
  const messages = () => texts.map((text) => JSON.parse(text) as DaemonEnvelope & Reply);
  const frames = () => messages().filter(({ eventId }) => eventId !== undefined);
  const replies = () => messages().filter(({ eventId }) => eventId === undefined);
  return {
    ws,
    texts,
    frames,
    replies,
    send: (value: unknown) => ws.send(typeof value === "string" ? value : JSON.stringify(value)),
    /** Asks, and waits for the next answer. */
    async ask(value: object): Promise<Reply> {
      const before = replies().length;
      ws.send(JSON.stringify(value));
      await until(() => replies().length > before, "an answer");
      return replies().at(-1) as Reply;
    },
    /** Waits until the session was emitted up to this event. */
    upTo: (eventId: number, sessionId = "s1") =>
      until(
        () => frames().some((each) => each.sessionId === sessionId && each.eventId >= eventId),
        `event ${eventId} of ${sessionId}`,
      ),
    [Symbol.dispose]: () => ws.terminate(),
  };
}

/** The frames of the journal's events, computed by the test itself. */
export async function wholeSession(journal: Journal, sessionId = "s1"): Promise<DaemonEnvelope[]> {
  const state = daemonDialect.begin();
  const events = await s.sessionEvents(journal, sessionId);
  return events.flatMap((event) => encode(daemonDialect, event, state, { replay: false }));
}

export function assertRising(frames: readonly DaemonEnvelope[]): void {
  const last = new Map<string, number>();
  for (const { sessionId, eventId } of frames) {
    assert.ok(eventId > (last.get(sessionId) ?? 0), `${sessionId} ${eventId} goes backwards`);
    last.set(sessionId, eventId);
  }
}
