// Every foreign window there is: routes and sockets that translate between a dialect and the journal.
import type { FastifyPluginAsync } from "fastify";
import type { AppDeps } from "../app.ts";
import type { SocketRoute } from "../sockets.ts";
import { consoleWindow } from "./console.ts";
import { daemonWindow } from "./daemon.ts";
import { hudWindow } from "./hud.ts";
import { terminalWindow } from "./terminal.ts";
import { webuiWindow } from "./webui.ts";
import { v1Window } from "./v1.ts";

export type DialectMount = (deps: AppDeps) => {
  readonly routes: FastifyPluginAsync;
  readonly sockets: readonly SocketRoute[];
};

export const DIALECTS: readonly DialectMount[] = [
  consoleWindow,
  daemonWindow,
  hudWindow,
  webuiWindow,
  terminalWindow,
  v1Window,
];
