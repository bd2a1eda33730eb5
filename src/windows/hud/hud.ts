// The HUD over a WebSocket: what a session's past was, marked as replay, then what happens. It carries no
// commands, so a client can only ask whether we are still there.
import { randomUUID } from "node:crypto";
import type { FastifyError } from "fastify";
import { hudDialect } from "./wire/hud.ts";
import type { HudReceived } from "./wire/events.ts";
import type { ErrorCode } from "../../kernel/events/errors.ts";
import { SessionId } from "../../kernel/events/ids.ts";
import { toErrorResponse } from "../../kernel/server/error-response.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { packMessages, type Socket, type SocketRoute } from "../../kernel/server/feed/sockets.ts";
import { windowSource } from "../../kernel/server/feed/window.ts";
import type { Room } from "../../kernel/server/room.ts";

export const hudWindow: Room = (deps) => ({
  routes: async () => {},
  sockets: [hudSocket(deps)],
});

const CLOSE = { badRequest: 1008, failed: 1011 } as const;

function hudSocket(deps: AppDeps): SocketRoute {
  return {
    path: "/api/hud/ws",
    auth: "header",
    open(socket, { query }) {
      const given = query.getAll("session_id");
      const session = SessionId.safeParse(given.length === 1 ? given[0] : undefined);
      if (!session.success) {
        sendError(socket, "invalid_request", "?session_id= has to name one session.");
        socket.close(CLOSE.badRequest, "no session_id");
        return () => undefined;
      }
      follow(deps, socket, session.data).catch((error: unknown) => {
        const { code, envelope } = toErrorResponse(error as FastifyError);
        if (code === "internal") deps.logError(error);
        sendError(socket, code, envelope.error.message);
        socket.close(CLOSE.failed, code);
      });
      return (text) => answer(socket, text);
    },
  };
}

/** A session that is not there yet is followed too: the window may be open before the first message. */
async function follow({ journal, streams }: AppDeps, socket: Socket, sessionId: string) {
  const { seq = 0 } = (await journal.reads.session(sessionId)) ?? {};
  if (seq > 0) socket.send(reconnected(sessionId));
  const source = windowSource(journal, {
    dialect: hudDialect,
    sessionId,
    text: (frame) => JSON.stringify(frame),
    pack: packMessages,
  });
  await streams.tails.subscribe(source, 0, socket.subscriber);
}

/** About this connection and no other, so its id is really random. */
function reconnected(sessionKey: string): HudReceived {
  return {
    type: "hud",
    event: "received",
    id: randomUUID(),
    subtype: "reconnect",
    label: "reconnected — replaying history",
    payload: { sessionKey },
    ts: Date.now(),
  };
}

function answer(socket: Socket, text: string): void {
  let frame: { type?: unknown } | null;
  try {
    frame = JSON.parse(text) as typeof frame;
  } catch {
    return sendError(socket, "invalid_json", "A frame is JSON.");
  }
  const type = frame?.type;
  if (type === "ping") return socket.send({ type: "pong", ts: Date.now() });
  const named = typeof type === "string" ? `the type ${JSON.stringify(type.slice(0, 100))}` : "it";
  sendError(socket, "invalid_request", `The HUD takes {"type":"ping"} and does not know ${named}.`);
}

function sendError(socket: Socket, code: ErrorCode, message: string): void {
  socket.send({ type: "error", error: { code, message } });
}
