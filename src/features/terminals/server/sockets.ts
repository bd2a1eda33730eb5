// One window on one terminal. It pulls what was printed from where the window is, one piece at a time, and
// goes on only when the window has shown what it has: a slow one costs a piece here and finds a gap later.
import { parseMessage } from "../../../kernel/server/json-body.ts";
import { TerminalRequest, type TerminalFrame, type TerminalPart } from "../records.ts";
import { ApiError, parse, toEnvelope } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import type { Socket, SocketRequest, SocketRoute } from "../../../kernel/server/feed/sockets.ts";
import type { Terminal, Terminals, Watcher } from "./terminals.ts";

const AHEAD = 262_144; // sent and not yet shown
const MAX_WINDOWS = 16;
const MAX_UNREAD = 262_144; // characters typed that the program has no room for
const MAX_REMEMBERED = 64; // windows whose last input is known
const NO_TERMINAL = 4404;
const ENDED = 4410;
const Place = /^\d{1,15}$/;
const WindowName = /^[A-Za-z0-9_-]{1,64}$/;

type Deps = Pick<AppDeps, "logError"> & {
  readonly streams: Pick<AppDeps["streams"], "heartbeatMs">;
};

export function terminalSockets(terminals: Terminals, deps: Deps): readonly SocketRoute[] {
  const open: SocketRoute["open"] = (socket, request) => {
    try {
      return windowOn(socket, { ...asked(terminals, request), ...deps });
    } catch (error) {
      refuse(socket, error, true);
      socket.close(NO_TERMINAL, "no such terminal");
      return () => undefined;
    }
  };
  return [{ path: "/api/terminals/:terminalId/ws", auth: "header", open }];
}

type Asked = { readonly terminal: Terminal; readonly name: string; readonly offset: number };

function asked(terminals: Terminals, { params, query }: SocketRequest): Asked {
  const offset = query.get("offset") ?? "0";
  const name = query.get("window") ?? "";
  if (!Place.test(offset)) throw new ApiError("invalid_request", "offset: a whole number.");
  if (!WindowName.test(name)) {
    throw new ApiError("invalid_request", "window: 1 to 64 letters, digits, '-' or '_'.");
  }
  const terminal = terminals.find(params["terminalId"] ?? "");
  if (!terminal) throw new ApiError("not_found", "There is no such terminal.");
  if (terminal.watchers.size >= MAX_WINDOWS) {
    throw new ApiError("rate_limited", `A terminal is shown in at most ${MAX_WINDOWS} windows.`);
  }
  return { terminal, name, offset: Number(offset) };
}

let lastReader = 0;

function windowOn(socket: Socket, given: Asked & Deps) {
  const { terminal, name, logError } = given;
  const shown = shownPlace(given.offset);
  const send = (frame: TerminalFrame) => socket.send(frame);
  const watcher: Watcher = { emit: send, closed: () => socket.close(ENDED, "closed") };
  const reader = `${name}-${(lastReader += 1)}`; // a window may come back before its old socket is gone
  terminal.watchers.add(watcher);
  const beating = setInterval(send, given.streams.heartbeatMs, { type: "heartbeat" });
  socket.gone.addEventListener("abort", () => {
    clearInterval(beating);
    terminal.watchers.delete(watcher);
    terminal.usedAt = performance.now();
    terminal.host.leave(reader);
    shown.move(Number.MAX_SAFE_INTEGER);
  });
  const { size } = terminal;
  send({
    type: "attached",
    terminal_id: terminal.id,
    taken: terminal.taken.get(name) ?? 0,
    ...size,
  });
  follow(socket, { ...given, reader, shown, send }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) logError(error);
    refuse(socket, error, true);
    socket.close(NO_TERMINAL, "cannot be shown");
  });
  return (text: string) => {
    try {
      obey(parse(TerminalRequest, parseMessage(text)), { terminal, name, shown, send });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refuse(socket, error, false);
    }
  };
}

type Shown = { readonly place: number; move(to: number): void; within(end: number): Promise<void> };
type Following = Asked & {
  readonly reader: string;
  readonly shown: Shown;
  readonly send: (frame: TerminalFrame) => void;
};

async function follow(socket: Socket, { terminal, reader, shown, send, offset }: Following) {
  let position = offset;
  let head: number | undefined; // where the end was when the window came
  while (!socket.gone.aborted) {
    const part = await terminal.host.read(reader, { offset: position, now: head === undefined });
    if (socket.gone.aborted) return;
    if (part && part.total < position) {
      throw new ApiError("cursor_invalid", "This terminal has not printed that much.");
    }
    const before = head === undefined || position < head;
    if (part) position = emitPart(part, position, send);
    head ??= part?.total ?? position;
    if (before && position >= head) send({ type: "caught_up", offset: position });
    if (!part || part.over) {
      await terminal.host.ended;
      if (terminal.exit) send({ type: "exit", exit: terminal.exit, offset: position });
      return;
    }
    terminal.usedAt = performance.now();
    await socket.subscriber.drained();
    await shown.within(position - AHEAD);
  }
}

/** Says where the window is then. */
function emitPart(part: TerminalPart, position: number, send: Following["send"]): number {
  const { offset, bytes, data } = part;
  if (offset > position) send({ type: "dropped", from: position, to: offset });
  if (bytes > 0) send({ type: "output", offset, bytes, data });
  return offset + bytes;
}

type Obeying = Pick<Following, "terminal" | "name" | "shown" | "send">;

function obey(request: TerminalRequest, { terminal, name, shown, send }: Obeying): void {
  if (request.type === "ack") return shown.move(request.offset);
  if (request.type === "resize") {
    const { cols, rows } = request;
    terminal.size = { cols, rows, by: name };
    terminal.host.resize({ cols, rows });
    for (const { emit } of terminal.watchers) emit({ type: "size", cols, rows, by: name });
    return;
  }
  const { n, data } = request;
  const last = terminal.taken.get(name) ?? 0;
  if (n <= last) return send({ type: "taken", n }); // said again after a lost connection
  if (terminal.exit) throw new ApiError("invalid_request", "This terminal has ended.");
  if (terminal.unread >= MAX_UNREAD) {
    throw new ApiError("rate_limited", "The program does not read what is typed.");
  }
  terminal.taken.delete(name);
  terminal.taken.set(name, n);
  const [oldest] = terminal.taken.keys();
  if (terminal.taken.size > MAX_REMEMBERED && oldest !== undefined) terminal.taken.delete(oldest);
  terminal.usedAt = performance.now();
  terminal.unread += data.length;
  void terminal.host.input(data).then(() => {
    terminal.unread -= data.length;
    send({ type: "taken", n });
  });
}

/** Up to where the window has shown it. Never back: an old acknowledgement comes late. */
function shownPlace(from: number): Shown {
  let place = from;
  let waiting: { end: number; resolve: () => void } | undefined;
  return {
    get place() {
      return place;
    },
    move(to) {
      place = Math.max(place, to);
      if (!waiting || waiting.end > place) return;
      waiting.resolve();
      waiting = undefined;
    },
    async within(end) {
      if (place >= end) return;
      await new Promise<void>((resolve) => (waiting = { end, resolve }));
    },
  };
}

function refuse(socket: Socket, problem: unknown, fatal: boolean): void {
  const { code, message } = toEnvelope(problem).error;
  socket.send({ type: "refused", code, message, fatal } satisfies TerminalFrame);
}
