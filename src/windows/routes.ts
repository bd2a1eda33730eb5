// Every route of every foreign window: what docs/windows.md lists, and what a test compares with the server.
import { CONSOLE_ROUTES } from "./console/wire/routes.ts";
import { DAEMON_ROUTES } from "./daemon/wire/routes.ts";
import type { DialectRoute } from "../kernel/dialect/dialect.ts";
import { HUD_ROUTES } from "./hud/wire/routes.ts";
import { V1_OPENAI_ROUTES } from "./v1/wire/openai-routes.ts";
import { TERMINAL_ROUTES } from "./terminal/wire/routes.ts";
import { V1_RUNS_ROUTES } from "./v1/wire/runs-routes.ts";
import { WEBUI_ROUTES } from "./webui/wire/routes.ts";

export const DIALECT_ROUTES: Readonly<Record<string, readonly DialectRoute[]>> = {
  "Web console": CONSOLE_ROUTES,
  HUD: HUD_ROUTES,
  Daemon: DAEMON_ROUTES,
  "Terminal channel": TERMINAL_ROUTES,
  "Browser routes": WEBUI_ROUTES,
  "/v1/runs": V1_RUNS_ROUTES,
  "OpenAI-compatible": V1_OPENAI_ROUTES,
};
