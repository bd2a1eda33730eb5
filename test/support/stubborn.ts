// Clients that reconnect: whatever is killed meanwhile, each resumes as its protocol says, and records everything that it
// was sent. They share no code with the product.
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { readEvents, type Server } from "./http.ts";

const PAUSE_MS = 30;

export type Stubborn<Message> = {
  /** In order of arrival; each connection may repeat earlier frames once. */
  readonly got: Message[];
  readonly connections: () => number;
  stop(): Promise<void>;
};

type Json = Record<string, unknown>;

/** An EventSource: resumes after its last `id:`. */
export function stubbornStream(server: Server, path: string): Stubborn<Json> {
  const got: Json[] = [];
  let connections = 0;
  let after: string | undefined;
  let over = false;
  const loop = async () => {
    while (!over) {
      connections += 1;
      await readEvents(server, path, {
        after,
        limitMs: 60_000,
        until: ({ id, data }) => {
          if (id !== undefined) after = id;
          if (data !== "") got.push(JSON.parse(data) as Json);
          return over;
        },
      });
      await delay(PAUSE_MS);
    }
  };
  void loop();
  return {
    got,
    connections: () => connections,
    stop: async () => void (over = true),
  };
}

export type StubbornSocket = Stubborn<Json> & {
  /** Sent now, or as soon as there is a connection. */
  send(message: object): void;
};

/** A socket that reconnects forever; `hello` is sent first each time. */
export function stubbornSocket(
  { url, token }: Server,
  path: string,
  hello: () => readonly object[] = () => [],
): StubbornSocket {
  const got: Json[] = [];
  const waiting: object[] = [];
  let connections = 0;
  let over = false;
  let ws: WebSocket | undefined;
  const flush = () => {
    while (ws?.readyState === WebSocket.OPEN && waiting.length > 0) {
      ws.send(JSON.stringify(waiting.shift()));
    }
  };
  const open = () => {
    if (over) return;
    connections += 1;
    ws = new WebSocket(url.replace("http", "ws") + path, {
      headers: { authorization: `Bearer ${token}` },
    });
    ws.on("open", () => {
      for (const message of hello()) ws?.send(JSON.stringify(message));
      flush();
    });
    ws.on("message", (data: Buffer) => got.push(JSON.parse(data.toString()) as Json));
    ws.on("error", () => undefined);
    ws.on("close", () => void delay(PAUSE_MS).then(open));
  };
  open();
  return {
    got,
    connections: () => connections,
    send(message) {
      waiting.push(message);
      flush();
    },
    async stop() {
      over = true;
      ws?.terminate();
    },
  };
}
