// Every route of every foreign window: what docs/windows.md lists, and what a test compares with the server.
import { CONSOLE_ROUTES } from "./console-routes.ts";
import { DAEMON_ROUTES } from "./daemon-routes.ts";
import type { DialectRoute } from "./dialect.ts";
import { HUD_ROUTES } from "./hud-routes.ts";
import { V1_OPENAI_ROUTES } from "./openai-routes.ts";
import { TERMINAL_ROUTES } from "./terminal-routes.ts";
import { V1_RUNS_ROUTES } from "./v1-runs-routes.ts";
import { WEBUI_ROUTES } from "./webui-routes.ts";

export const DIALECT_ROUTES: Readonly<Record<string, readonly DialectRoute[]>> = {
  "Web console": CONSOLE_ROUTES,
  HUD: HUD_ROUTES,
  Daemon: DAEMON_ROUTES,
  "Terminal channel": TERMINAL_ROUTES,
  "Browser routes": WEBUI_ROUTES,
  "/v1/runs": V1_RUNS_ROUTES,
  "OpenAI-compatible": V1_OPENAI_ROUTES,
};
