// Seed document: the web console's API and event schema.
import { CONSOLE_CHAT } from "./chat.ts";
import { CONSOLE_EVENTS } from "./events.ts";
import { CONSOLE_HOME } from "./home.ts";
import { CONSOLE_SYSTEM } from "./system.ts";
import { CONSOLE_PLATFORMS } from "./platforms.ts";
import { CONSOLE_REQUESTS } from "./requests.ts";
import { CONSOLE_RESOURCES } from "./resources.ts";
import { CONSOLE_RULES } from "./rules.ts";
import { CONSOLE_SECURITY } from "./security.ts";
import { CONSOLE_SESSIONS } from "./sessions.ts";
import { CONSOLE_STREAM } from "./stream.ts";
import { CONSOLE_WORKSPACE } from "./workspace.ts";
import type { ConsoleWorld } from "./world.ts";
import type { Document } from "../suite.ts";

export const CONSOLE: Document<ConsoleWorld> = {
  letter: "C",
  title: "Web console",
  file: "web-console-api.txt",
  rows: [
    ...CONSOLE_RULES,
    ...CONSOLE_RESOURCES,
    ...CONSOLE_REQUESTS,
    ...CONSOLE_PLATFORMS,
    ...CONSOLE_CHAT,
    ...CONSOLE_SESSIONS,
    ...CONSOLE_WORKSPACE,
    ...CONSOLE_HOME,
    ...CONSOLE_SYSTEM,
    ...CONSOLE_STREAM,
    ...CONSOLE_EVENTS,
    ...CONSOLE_SECURITY,
  ],
};
