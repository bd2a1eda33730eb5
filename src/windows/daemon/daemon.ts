// The daemon window: `/api/daemon/ws`, and `/ws` where the daemon's own dashboard looks for it.
import type { FastifyError } from "fastify";
import { readDaemonCommand } from "./wire/inbound.ts";
import { toErrorResponse } from "../../kernel/server/error-response.ts";
import { type SocketRoute, packMessages, type Socket } from "../../kernel/server/feed/sockets.ts";
import { obey } from "./commands.ts";
import { daemonHub } from "./hub.ts";
import type { Room } from "../../kernel/server/room.ts";

export const daemonWindow: Room = (deps) => {
  const hub = daemonHub(deps);
  const open: SocketRoute["open"] = (socket) => {
    const member = daemonMember(socket);
    const joined = hub.join(member, socket.gone);
    joined.catch((error: unknown) => {
      deps.logError(error);
      socket.close(1011, "internal error");
    });
    return async (text) => {
      const command = readDaemonCommand(text);
      if (!command) return; // dropped, as the protocol has it
      await joined; // or what happens between a snapshot and the first live event would be lost
      try {
        const reply = await obey(command, deps.journal);
        if (reply !== undefined) await member.reply(reply);
      } catch (error) {
        await member.reply(problem(error, deps.logError));
      }
    };
  };
  return {
    routes: async () => undefined,
    sockets: ["/api/daemon/ws", "/ws"].map((path) => ({ path, auth: "header", open })),
  };
};

/** The protocol has no word for "that could not be done". Its own client ignores this; ours need not. */
function problem(error: unknown, logError: (error: unknown) => void): string {
  const { code, envelope } = toErrorResponse(error as FastifyError);
  if (code === "internal") logError(error);
  const { message } = envelope.error;
  return JSON.stringify({ method: "quarterdeck.error", params: { code, message } });
}

// One socket of the daemon window. A snapshot may be much larger than what a socket may have unsent, so
// it goes out in fragments at the reader's pace, and what happens meanwhile is held back: fragments of
// two messages must not mix, and control frames may stand between them.
type DaemonMember = {
  write(chunk: Buffer): void;
  /** Settles when it is on its way; never two at a time. */
  reply(text: string): Promise<void>;
};

const MAX_HELD = 1_048_576;
const FRAGMENT = 32_768; // characters
const TRY_AGAIN = 1013;

export function daemonMember(socket: Socket): DaemonMember {
  const { subscriber } = socket;
  let held: { readonly chunks: Buffer[]; bytes: number } | undefined;

  function write(chunk: Buffer): void {
    if (!held) return void subscriber.write(chunk);
    held.chunks.push(chunk);
    held.bytes += chunk.byteLength;
    if (held.bytes <= MAX_HELD) return;
    held = { chunks: [], bytes: 0 };
    socket.close(TRY_AGAIN, "too slow"); // it comes back and asks anew: never a hole
  }

  return {
    write,
    async reply(text) {
      held = { chunks: [], bytes: 0 };
      for (const fragment of fragmentsOf(text)) {
        if (!subscriber.write(fragment)) break;
        await subscriber.drained();
      }
      const { chunks } = held;
      held = undefined;
      for (const chunk of chunks) write(chunk);
    },
  };
}

const [TEXT, CONTINUATION, LAST] = [0x01, 0x00, 0x80] as const;

/** One message as several frames, each whole by itself. */
function* fragmentsOf(text: string): Generator<Buffer> {
  let at = 0;
  do {
    const end = endOf(text, at + FRAGMENT);
    const frame = packMessages([text.slice(at, end)]);
    frame[0] = (at === 0 ? TEXT : CONTINUATION) | (end === text.length ? LAST : 0);
    yield frame;
    at = end;
  } while (at < text.length);
}

/** Never inside a character. */
function endOf(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const before = text.charCodeAt(wanted - 1);
  return before >= 0xd800 && before <= 0xdbff ? wanted - 1 : wanted;
}
