// Every dialect there is, for those who treat them alike: tests, measurements, docs/windows.md. Whoever
// opens a window knows which one, and imports that.
import { chatDialect } from "./v1/wire/chat/chat-completions.ts";
import { consoleDialect } from "./console/wire/console.ts";
import { daemonDialect } from "./daemon/wire/daemon.ts";
import type { Dialect } from "../kernel/dialect/dialect.ts";
import { hudDialect } from "./hud/wire/hud.ts";
import { responsesDialect } from "./v1/wire/responses/responses.ts";
import { terminalDialect } from "./terminal/wire/terminal.ts";
import { v1RunsDialect } from "./v1/wire/runs.ts";
import { webuiSessionDialect } from "./webui/wire/session.ts";
import { webuiDialect } from "./webui/wire/webui.ts";

/** A state goes only back to the dialect it came from. */
export type AnyDialect = Dialect<unknown>;

function any<State, Frame extends object>(dialect: Dialect<State, Frame>): AnyDialect {
  return dialect as unknown as AnyDialect;
}

export const DIALECTS: readonly AnyDialect[] = [
  any(consoleDialect),
  any(hudDialect),
  any(daemonDialect),
  any(terminalDialect),
  any(webuiDialect),
  any(webuiSessionDialect),
  any(v1RunsDialect),
  any(responsesDialect),
  any(chatDialect({ usage: false })),
];
