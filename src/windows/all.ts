// Every dialect and every route of a foreign window, for what treats them alike: tests, measurements, docs/windows.md.
// Code that opens a window imports its dialect directly.
import type { Dialect } from "../kernel/dialect/dialect.ts";
import type { DialectRoute, WindowText } from "../kernel/dialect/window-doc.ts";
import { consoleDialect } from "./console/wire/console.ts";
import { CONSOLE_ROUTES, CONSOLE_TEXT } from "./console/wire/routes.ts";
import { daemonDialect } from "./daemon/wire/daemon.ts";
import { DAEMON_ROUTES, DAEMON_TEXT } from "./daemon/wire/routes.ts";
import { hudDialect } from "./hud/wire/hud.ts";
import { HUD_ROUTES, HUD_TEXT } from "./hud/wire/routes.ts";
import { TERMINAL_ROUTES, TERMINAL_TEXT } from "./terminal/wire/routes.ts";
import { terminalDialect } from "./terminal/wire/terminal.ts";
import { chatDialect } from "./v1/wire/chat/chat-completions.ts";
import { responsesDialect } from "./v1/wire/responses/responses.ts";
import * as v1 from "./v1/wire/routes.ts";
import { v1RunsDialect } from "./v1/wire/runs.ts";
import * as webui from "./webui/wire/routes.ts";
import { webuiSessionDialect } from "./webui/wire/session.ts";
import { webuiDialect } from "./webui/wire/webui.ts";

/** A state goes only back to the dialect it came from. */
export type AnyDialect = Dialect<unknown> & { readonly text: WindowText };

function documented<State, Frame extends object>(
  dialect: Dialect<State, Frame>,
  text: WindowText,
): AnyDialect {
  return { ...(dialect as unknown as Dialect<unknown>), text };
}

export const DIALECTS: readonly AnyDialect[] = [
  documented(consoleDialect, CONSOLE_TEXT),
  documented(hudDialect, HUD_TEXT),
  documented(daemonDialect, DAEMON_TEXT),
  documented(terminalDialect, TERMINAL_TEXT),
  documented(webuiDialect, webui.WEBUI_TEXT),
  documented(webuiSessionDialect, webui.WEBUI_SESSION_TEXT),
  documented(v1RunsDialect, v1.V1_RUNS_TEXT),
  documented(responsesDialect, v1.RESPONSES_TEXT),
  documented(chatDialect({ usage: false }), v1.CHAT_TEXT),
];

/** A test compares them with what the server answers. */
export const DIALECT_ROUTES: Readonly<Record<string, readonly DialectRoute[]>> = {
  "Web console": CONSOLE_ROUTES,
  HUD: HUD_ROUTES,
  Daemon: DAEMON_ROUTES,
  "Terminal channel": TERMINAL_ROUTES,
  "Browser routes": webui.WEBUI_ROUTES,
  "/v1/runs": v1.V1_RUNS_ROUTES,
  "OpenAI-compatible": v1.V1_OPENAI_ROUTES,
};
