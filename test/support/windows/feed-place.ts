// The feed in this process, over a real journal and real sockets, and a plain client that records every line in order.
// The client shares no code with the product's client.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocket } from "ws";
import type { Journal } from "../../../src/kernel/journal/journal.ts";
import type { FeedFrame } from "../../../src/kernel/api/records/feed.ts";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { feedSockets } from "../../../src/kernel/server/feed/feed.ts";
import { mountSockets } from "../../../src/kernel/server/feed/sockets.ts";
import { tails, type Subscriber } from "../../../src/kernel/server/feed/tail.ts";
import { until } from "../until.ts";

const TOKEN = "t".repeat(43);

export async function serveFeed(journal: Journal, { heartbeatMs = 60_000 } = {}) {
  const errors: unknown[] = [];
  const logError = (error: unknown) => void errors.push(error);
  const hosts = new Set<string>();
  const open = new Set<Subscriber>();
  const following = tails(journal, logError);
  const streams = { tails: following, heartbeatMs, epoch: journal.epoch, open };
  const auth = { token: () => TOKEN, required: true, hosts: () => hosts };
  const server = createServer();
  const takeTicket = async () => false;
  const sockets = feedSockets({ journal, streams, logError });
  mountSockets(server, sockets, { auth, streams, logError, takeTicket });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  hosts.add(`127.0.0.1:${port}`);
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    errors,
    open,
    following,
    async [Symbol.asyncDispose]() {
      for (const subscriber of open) subscriber.end();
      following.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Line = FeedFrame | RunEvent;
type Kind = FeedFrame["feed"];
export const isEvent = (line: Line): line is RunEvent => !("feed" in line);

export type FeedClient = Awaited<ReturnType<typeof connectFeed>>;

export async function connectFeed(server: { url: string; token: string }, query = "") {
  const ws = new WebSocket(`${server.url.replace("http", "ws")}/api/feed${query}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const lines: Line[] = [];
  let messages = 0;
  ws.on("message", (data: Buffer) => {
    messages += 1;
    for (const text of data.toString().split("\n")) lines.push(JSON.parse(text) as Line);
  });
  ws.on("error", () => undefined);
  await once(ws, "open");
  let marks = 0;
  const frames = <Of extends Kind>(kind: Of, sessionId?: string) =>
    lines.filter(
      (line): line is Extract<FeedFrame, { feed: Of }> =>
        "feed" in line &&
        line.feed === kind &&
        (sessionId === undefined || ("session_id" in line && line.session_id === sessionId)),
    );
  const send = (value: unknown) =>
    ws.send(typeof value === "string" ? value : JSON.stringify(value));
  return {
    ws,
    lines,
    frames,
    send,
    messages: () => messages,
    events: (sessionId: string) =>
      lines.filter(isEvent).filter((event) => event.session_id === sessionId),
    /** Returns the mark. */
    watch(sessionId: string, after = 0, more: object = {}): number {
      marks += 1;
      send({ type: "watch", session_id: sessionId, after, mark: marks, ...more });
      return marks;
    },
    until: (holds: () => boolean, what: string) => until(holds, what),
    caughtUp: (sessionId: string, times = 1) =>
      until(() => frames("caught_up", sessionId).length >= times, `${sessionId} to be caught up`),
    async close(): Promise<void> {
      if (ws.readyState === ws.CLOSED) return;
      ws.terminate();
      await once(ws, "close");
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
