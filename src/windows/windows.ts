// Every foreign window there is: routes and sockets that translate between a dialect and the journal.
import type { Room } from "../kernel/server/room.ts";
import { consoleWindow } from "./console/console.ts";
import { daemonWindow } from "./daemon/daemon.ts";
import { hudWindow } from "./hud/hud.ts";
import { terminalWindow } from "./terminal/terminal.ts";
import { webuiWindow } from "./webui/webui.ts";
import { v1Window } from "./v1/v1.ts";

export const WINDOWS: readonly Room[] = [
  consoleWindow,
  daemonWindow,
  hudWindow,
  webuiWindow,
  terminalWindow,
  v1Window,
];
