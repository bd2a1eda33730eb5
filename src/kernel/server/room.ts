// What a window or a feature adds to the server.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { AppDeps } from "./app.ts";
import type { SocketRoute } from "./feed/sockets.ts";

export type Room = (deps: AppDeps) => {
  readonly routes?: FastifyPluginAsync;
  readonly prefix?: string;
  readonly sockets?: readonly SocketRoute[];
  /** Routes that need no token. */
  readonly open?: readonly string[];
  /** What it tells of itself in the server's status. */
  readonly status?: () => Readonly<Record<string, unknown>>;
  /** After every answer. */
  readonly answered?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Ends what it holds, before the server does. */
  readonly end?: () => Promise<void>;
};
