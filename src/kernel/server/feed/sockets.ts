// WebSockets: who may open one, and how a window uses it. Host, Origin and token are checked before the handshake is
// answered; then a socket is a subscriber of tails like any stream.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { ApiError } from "../../events/errors.ts";
import { chosenProtocol, proofInProtocols, ticketInProtocols } from "../../events/login-proof.ts";
import { authenticate, checkReach, type Asking, type AuthOptions } from "../auth.ts";
import { refusal } from "../refusal.ts";
import type { Streams } from "./sse.ts";
import { BEATS_TO_STALL, toSubscriber } from "./subscriber.ts";
import type { Subscriber } from "./tail.ts";
import { unprovenSockets, type UnprovenSockets } from "./unproven-sockets.ts";

export type Socket = {
  /** For tails, with chunks made by `packMessages`. */
  readonly subscriber: Subscriber;
  send(frame: object): void;
  close(code: number, reason: string): void;
  /** True once the peer has read everything that was sent so far; false when it has gone before. */
  reached(): Promise<boolean>;
  readonly gone: AbortSignal;
  /** The peer has brought its token in a frame. Until then it has only a few seconds. */
  readonly proven: () => void;
};
export type SocketRequest = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** False only on routes that check a token in a frame. */
  readonly authenticated: boolean;
  readonly ip: string;
};
export type SocketRoute = {
  readonly path: string; // of a URLPattern
  /** `frame`: who brings no token in a header may bring one in a frame; the route sees to it. */
  readonly auth: "header" | "frame";
  /** What to do with each text; the next one waits until this is done. */
  readonly open: (socket: Socket, request: SocketRequest) => (text: string) => void | Promise<void>;
};

export type SocketOptions = {
  readonly auth: AuthOptions;
  readonly streams: Streams;
  readonly logError: (error: unknown) => void;
  /** Whether a ticket was good. It is none any more. */
  readonly takeTicket: (ticket: string) => Promise<boolean>;
};

const MAX_MESSAGE = 1_048_576; // larger: closed with 1009
const CLOSE_MS = 1_000;
const BASE = "http://localhost";

/** Anything else that may be offered (h2c) is an ordinary request to us. */
export function isForSockets({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

export function mountSockets(
  server: Server,
  routes: readonly SocketRoute[],
  options: SocketOptions,
): void {
  const accepting = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false, // packed chunks are written between messages
    clientTracking: false,
    handleProtocols: chosenProtocol,
  });
  const unproven = unprovenSockets();
  const admit = admission(routes, { auth: options.auth, unproven });

  server.on("upgrade", (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    raw.on("error", () => raw.destroy());
    const refuse = (error: unknown) => {
      if (!(error instanceof ApiError)) options.logError(error);
      raw.end(refusal(error), () => raw.destroy()); // nobody waits for a goodbye of who was not let in
    };
    const open = (hasTicket: boolean) => {
      const { route, asked } = admit(request, hasTicket);
      accepting.handleUpgrade(request, raw, head, (ws) =>
        converse(ws, raw, { route, asked, options, unproven }),
      );
    };
    try {
      checkReach(request, options.auth);
      const ticket = ticketInProtocols(request.headers["sec-websocket-protocol"]);
      if (ticket === undefined) open(false);
      else options.takeTicket(ticket).then(open).catch(refuse);
    } catch (error) {
      refuse(error);
    }
  });
}

type Admitting = { readonly auth: AuthOptions; readonly unproven: UnprovenSockets };

/** Which route a request is for, if whoever asks may have it. Throws the refusal. */
function admission(routes: readonly SocketRoute[], { auth, unproven }: Admitting) {
  const patterns = routes.map((route) => ({
    route,
    pattern: new URLPattern({ pathname: route.path }),
  }));
  return (request: IncomingMessage, hasTicket: boolean) => {
    const { headers } = request;
    const proof = proofInProtocols(headers["sec-websocket-protocol"]);
    const asking: Asking = { headers, proof, ip: request.socket.remoteAddress ?? "" };
    const address = request.url ?? "/";
    if (!URL.canParse(address, BASE)) {
      throw new ApiError("invalid_request", "The address cannot be read.");
    }
    const url = new URL(address, BASE);
    for (const { route, pattern } of patterns) {
      const found = pattern.exec({ pathname: url.pathname });
      if (!found) continue;
      const authenticated = hasTicket || isAuthenticated(asking, route, auth);
      if (!authenticated) unproven.checkRoom();
      const params = decoded(found.pathname.groups);
      const asked: SocketRequest = {
        params,
        query: url.searchParams,
        authenticated,
        ip: asking.ip,
      };
      return { route, asked };
    }
    throw new ApiError("not_found", "There is no WebSocket here.");
  };
}

function isAuthenticated(asking: Asking, route: SocketRoute, auth: AuthOptions): boolean {
  const { headers, proof } = asking;
  const later = route.auth === "frame" && auth.required;
  if (later && headers.authorization === undefined && proof === undefined) return false;
  const password = later ? passwordIn(headers.authorization) : undefined;
  const authorization = password === undefined ? headers.authorization : `Bearer ${password}`;
  authenticate({ ...asking, headers: { ...headers, authorization } }, auth);
  return true;
}

/** Of an address with a name and a password: the one thing that can be set on many a device. */
function passwordIn(authorization: string | undefined): string | undefined {
  const coded = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  if (coded === undefined) return undefined;
  const decoded = Buffer.from(coded, "base64").toString("utf8");
  return decoded.slice(decoded.indexOf(":") + 1);
}

const sockets = new WeakSet<Subscriber>();

export function isSocket(subscriber: Subscriber): boolean {
  return sockets.has(subscriber);
}

type Conversation = {
  readonly route: SocketRoute;
  readonly asked: SocketRequest;
  readonly options: SocketOptions;
  readonly unproven: UnprovenSockets;
};

function converse(ws: WebSocket, raw: Duplex, conversation: Conversation): void {
  const { route, asked, options, unproven } = conversation;
  const stop = new AbortController();
  const isOpen = () => ws.readyState === ws.OPEN;
  const end = () => close(1001, "going away");
  const stalledMs = options.streams.heartbeatMs * BEATS_TO_STALL;
  const subscriber = toSubscriber(raw, stalledMs, { end, isOpen });
  const close = (code: number, reason: string) => {
    ws.close(code, reason);
    setTimeout(() => ws.terminate(), CLOSE_MS).unref();
  };
  const send = (frame: object) => void subscriber.write(packMessages([JSON.stringify(frame)]));
  options.streams.open.add(subscriber);
  sockets.add(subscriber);
  watchPulse(ws, { everyMs: options.streams.heartbeatMs, signal: stop.signal });
  ws.on("error", () => ws.terminate()); // a broken or oversized frame: ws has said why
  ws.once("close", () => {
    options.streams.open.delete(subscriber);
    stop.abort();
  });
  const reached = pingPong(ws, stop.signal);
  const gone = stop.signal;
  const late = () => close(1008, "a token is needed");
  const proven = asked.authenticated ? () => undefined : unproven.add({ gone, late });
  const socket: Socket = { subscriber, send, close, reached, gone, proven };
  const take = route.open(socket, asked);
  const inOrder = oneByOne(ws, (error) => {
    options.logError(error);
    close(1011, "internal error");
  });
  ws.on("message", (data: Buffer, binary: boolean) => {
    if (!isOpen()) return; // we have said goodbye: what comes now is not obeyed
    if (binary) return close(1003, "text only");
    inOrder(async () => take(data.toString("utf8")));
  });
}

/** Work in the order it came. Nothing more is read while there is some: what was sent waits in the peer. */
function oneByOne(ws: WebSocket, failed: (error: unknown) => void) {
  let last = Promise.resolve();
  let waiting = 0;
  return (work: () => Promise<void>): void => {
    waiting += 1;
    ws.pause();
    last = last
      .then(work)
      .catch(failed)
      .finally(() => {
        waiting -= 1;
        if (waiting === 0) ws.resume();
      });
  };
}

/** A pong comes after everything before its ping was read: peers answer in order. */
function pingPong(ws: WebSocket, gone: AbortSignal): Socket["reached"] {
  const waiting = new Map<string, (read: boolean) => void>();
  let count = 0;
  const settle = (mark: string, read: boolean) => {
    waiting.get(mark)?.(read);
    waiting.delete(mark);
  };
  ws.on("pong", (data: Buffer) => settle(data.toString(), true));
  gone.addEventListener("abort", () => {
    for (const mark of waiting.keys()) settle(mark, false);
  });
  return async () => {
    if (gone.aborted || ws.readyState !== ws.OPEN) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    count += 1;
    waiting.set(String(count), resolve);
    ws.ping(String(count));
    return promise;
  };
}

/** A peer that answers no ping is gone, whatever its socket says (V4). */
function watchPulse(
  ws: WebSocket,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): void {
  let missed = 0;
  ws.on("pong", () => (missed = 0)).on("message", () => (missed = 0));
  const beating = setInterval(() => {
    if (ws.isPaused) return; // we are busy with what it sent: its answer is not read yet
    missed += 1;
    if (missed > BEATS_TO_STALL) ws.terminate();
    else ws.ping();
  }, everyMs);
  signal.addEventListener("abort", () => clearInterval(beating));
}

function decoded(groups: Record<string, string | undefined>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value ?? "")]),
    );
  } catch {
    throw new ApiError("invalid_request", "The address cannot be read.");
  }
}

/** Texts as WebSocket frames, one each, ready to be written to any number of sockets. */
export function packMessages(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const payload = Buffer.from(text);
      return [headerFor(payload.byteLength), payload];
    }),
  );
}

const TEXT = 0x81; // the only frame of a text message
function headerFor(bytes: number): Buffer {
  if (bytes < 126) return Buffer.from([TEXT, bytes]);
  const header = Buffer.alloc(bytes < 65_536 ? 4 : 10);
  header[0] = TEXT;
  if (bytes < 65_536) {
    header[1] = 126;
    header.writeUInt16BE(bytes, 2);
  } else {
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(bytes), 2);
  }
  return header;
}
