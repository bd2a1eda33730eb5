// A window's connection to one terminal, for as long as the terminal is there. It knows how many bytes it
// has passed on and asks for what follows: a lost connection costs no byte and repeats none.
import type { TerminalFrame, TerminalRequest } from "../records.ts";
import { delayOf, pause } from "../../../kernel/client/backoff.ts";

export type TerminalGone =
  | { readonly why: "closed"; readonly reason: "person" | "idle" | "server" }
  | { readonly why: "refused"; readonly code: string; readonly message: string };
export type TerminalEnd = Extract<TerminalFrame, { type: "exit" }>["exit"];
export type TerminalSizeBy = { readonly cols: number; readonly rows: number; readonly by: string };

export type TerminalLinkOptions = {
  /** A socket for what follows this place. */
  readonly connect: (offset: number) => WebSocket;
  /** `shown` when it is on the screen: more is sent only to windows that keep up. */
  readonly onOutput: (bytes: Uint8Array, shown: () => void) => void;
  /** So many bytes are no longer to be had. */
  readonly onDropped: (bytes: number) => void;
  /** Everything that was printed before this window came is here. */
  readonly onCaughtUp: () => void;
  readonly onSize: (size: TerminalSizeBy) => void;
  readonly onState: (state: "connecting" | "open") => void;
  readonly onExit: (exit: TerminalEnd) => void;
  readonly onGone: (gone: TerminalGone) => void;
  readonly onRefused: (message: string) => void;
  readonly random?: () => number;
};
export type TerminalLink = {
  type(text: string): void;
  resize(size: { readonly cols: number; readonly rows: number }): void;
  retryNow(): void;
  close(): void;
};

const BACKOFF = { minMs: 200, maxMs: 1_500 };
const SILENT_MS = 35_000; // the server beats every ten seconds (V4)

export function openTerminalLink(options: TerminalLinkOptions): TerminalLink {
  const over = new AbortController();
  const place = { next: 0 };
  let socket: WebSocket | undefined;
  let hurry = new AbortController();
  const send = (request: TerminalRequest) => {
    const open = socket?.readyState === 1;
    if (open) socket?.send(JSON.stringify(request));
    return open;
  };
  const input = terminalInput((n, data) => void send({ type: "input", n, data }));
  let size: TerminalRequest | undefined; // wanted and not told
  const reportSize = () => {
    if (size && send(size)) size = undefined;
  };
  const take = takerOf({
    ...options,
    place,
    send,
    input,
    onAttached: (now) => {
      if (!size) options.onSize(now);
      reportSize();
      options.onState("open");
    },
    onGone: (how) => {
      over.abort();
      options.onGone(how);
    },
  });

  async function keepUp(): Promise<void> {
    for (let failures = 0; !over.signal.aborted; failures += 1) {
      options.onState("connecting");
      const before = place.next;
      socket = options.connect(place.next);
      await conversation(socket, take, over.signal);
      input.lost();
      if (over.signal.aborted) return;
      if (place.next > before) failures = 0;
      hurry = new AbortController();
      const wait = delayOf(BACKOFF, failures + 1, options.random ?? Math.random);
      await pause(wait, AbortSignal.any([over.signal, hurry.signal]));
    }
  }
  void keepUp();

  return {
    type: (text) => input.type(text),
    resize({ cols, rows }) {
      size = { type: "resize", cols, rows };
      reportSize();
    },
    retryNow: () => hurry.abort(),
    close: () => over.abort(),
  };
}

type Taking = TerminalLinkOptions & {
  readonly place: { next: number };
  readonly send: (request: TerminalRequest) => boolean;
  readonly input: TerminalInput;
  readonly onAttached: (size: TerminalSizeBy) => void;
};
type Takers = {
  readonly [Type in TerminalFrame["type"]]: (frame: Extract<TerminalFrame, { type: Type }>) => void;
};

function takerOf(taking: Taking): (frame: TerminalFrame) => void {
  const { place, send, input } = taking;
  const passing = { ...taking, ack: (offset: number) => void send({ type: "ack", offset }) };
  const takers: Takers = {
    output: (frame) => passOn(frame, place, passing),
    dropped: (frame) => passOn(frame, place, passing),
    attached: (frame) => {
      input.attached(frame.taken);
      taking.onAttached(frame);
    },
    taken: ({ n }) => input.taken(n),
    size: taking.onSize,
    caught_up: () => taking.onCaughtUp(),
    exit: ({ exit }) => taking.onExit(exit),
    closed: ({ reason }) => taking.onGone({ why: "closed", reason }),
    refused: ({ code, message, fatal }) => {
      if (fatal) taking.onGone({ why: "refused", code, message });
      else taking.onRefused(message);
    },
    heartbeat: () => undefined,
  };
  return (frame) => {
    const taker = takers[frame.type] as ((one: TerminalFrame) => void) | undefined;
    taker?.(frame); // a later server may say more
  };
}

type Passing = Pick<TerminalLinkOptions, "onOutput" | "onDropped"> & {
  readonly ack: (offset: number) => void;
};
type Printed = Extract<TerminalFrame, { type: "output" | "dropped" }>;

/** Each byte once: what was passed on before is cut off, what is missing is said. */
function passOn(frame: Printed, place: { next: number }, { onOutput, onDropped, ack }: Passing) {
  const from = frame.type === "output" ? frame.offset : frame.to;
  if (from > place.next) {
    onDropped(from - place.next);
    place.next = from;
  }
  if (frame.type === "dropped") return;
  const bytes = bytesOf(frame.data).subarray(place.next - from);
  if (bytes.length === 0) return;
  place.next += bytes.length;
  const { next } = place;
  onOutput(bytes, () => ack(next));
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Settles when nothing more will come of this socket. Never rejects. */
function conversation(
  socket: WebSocket,
  take: (frame: TerminalFrame) => void,
  over: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let silence: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(silence);
      over.removeEventListener("abort", end);
      socket.close();
      resolve();
    };
    const hear = () => {
      clearTimeout(silence);
      silence = setTimeout(end, SILENT_MS);
    };
    hear();
    socket.addEventListener("message", (event) => {
      hear();
      const data: unknown = event.data;
      if (typeof data === "string" && !over.aborted) take(JSON.parse(data) as TerminalFrame);
    });
    socket.addEventListener("close", end);
    socket.addEventListener("error", () => undefined); // its close follows
    over.addEventListener("abort", end);
  });
}

// What was typed and is not taken yet. One piece is on its way at a time and carries a number: after a lost
// connection it is sent again, and the server takes it once.
type TerminalInput = {
  type(text: string): void;
  /** The socket is open, and the server has taken everything up to this number. */
  attached(taken: number): void;
  lost(): void;
  taken(n: number): void;
};

const PIECE = 8_192; // characters

export function terminalInput(send: (n: number, data: string) => void): TerminalInput {
  let waiting = "";
  let last = 0;
  let way: { readonly n: number; readonly data: string } | undefined;
  let open = false;

  function next(): void {
    if (!open || way || waiting === "") return;
    const data = pieceOf(waiting);
    waiting = waiting.slice(data.length);
    way = { n: (last += 1), data };
    send(way.n, way.data);
  }

  return {
    type(text) {
      waiting += text;
      next();
    },
    attached(taken) {
      open = true;
      if (way && way.n <= taken) way = undefined;
      if (way) send(way.n, way.data);
      next();
    },
    lost() {
      open = false;
    },
    taken(n) {
      if (way && way.n <= n) way = undefined;
      next();
    },
  };
}

/** Never half of a character. */
function pieceOf(text: string): string {
  const piece = text.slice(0, PIECE);
  const cut = piece.length < text.length && /[\ud800-\udbff]$/.test(piece);
  return cut ? piece.slice(0, -1) : piece;
}
