// The daemon window: `/api/daemon/ws`, and `/ws` where the daemon's own dashboard looks for it.
import type { FastifyError } from "fastify";
import { readDaemonCommand } from "./wire/inbound.ts";
import { toErrorResponse } from "../../kernel/server/error-response.ts";
import type { SocketRoute } from "../../kernel/server/feed/sockets.ts";
import { obey } from "./commands.ts";
import { daemonHub } from "./hub.ts";
import { daemonMember } from "./member.ts";
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
