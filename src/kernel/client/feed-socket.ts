// The feed's socket as a connection: lines in, requests out. A browser does not say why a handshake was refused, so
// the server is asked by HTTP before a window is shown as offline.
import type { FeedFrame, FeedRequest } from "../api/records/feed.ts";
import type { RunEvent } from "../events/events.ts";
import { ApiFailure } from "./api-failure.ts";

export type FeedLine = FeedFrame | RunEvent;
export type FeedSocket = AsyncIterable<readonly FeedLine[]> & {
  readonly send: (request: FeedRequest) => void;
};
export type OpenFeedSocket = (signal: AbortSignal) => Promise<FeedSocket>;

export type FeedSocketOptions = {
  readonly connect: () => WebSocket;
  /** Throws what the server says to someone who may not come in. Given up when the attempt is. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
};

export function feedSocket({ connect, probe }: FeedSocketOptions): OpenFeedSocket {
  return async (signal) => {
    signal.throwIfAborted();
    const socket = connect();
    const incoming = queueOf(socket, signal);
    try {
      await opened(socket, signal);
    } catch (error) {
      socket.close();
      if (!signal.aborted) await Promise.race([probe(signal), aborted(signal)]);
      throw error;
    }
    const send = (request: FeedRequest) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(request));
    };
    return { send, [Symbol.asyncIterator]: () => incoming };
  };
}

const away = () =>
  new ApiFailure({ code: "unreachable", message: "The server does not answer.", status: 0 });

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = () => reject(away());
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("close", failed, { once: true });
    signal.addEventListener("abort", failed, { once: true });
  });
}

/** What came while the reader was busy comes together. Listens from now on, whenever it is read. */
function queueOf(socket: WebSocket, signal: AbortSignal): AsyncGenerator<readonly FeedLine[]> {
  let waiting: string[] = [];
  let [over, wake] = [false, () => {}];
  const end = () => {
    over = true;
    wake();
  };
  socket.addEventListener("message", (event) => {
    const data: unknown = event.data;
    if (typeof data === "string") waiting.push(data);
    wake();
  });
  socket.addEventListener("close", end);
  signal.addEventListener("abort", end);
  return drained();

  async function* drained(): AsyncGenerator<readonly FeedLine[]> {
    try {
      while (!signal.aborted) {
        const texts = waiting;
        waiting = [];
        if (texts.length > 0) yield linesIn(texts);
        else if (over) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", end);
      socket.close();
    }
  }
}

/** Lines are JSON without line breaks of their own: all of them are one array. */
function linesIn(texts: readonly string[]): FeedLine[] {
  return JSON.parse(`[${texts.join(",").replaceAll("\n", ",")}]`) as FeedLine[];
}
