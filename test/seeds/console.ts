// Seed document: the web console's API and event schema.
import { CONSOLE_CHAT } from "./console-chat.ts";
import { CONSOLE_EVENTS } from "./console-events.ts";
import { CONSOLE_HOME } from "./console-home.ts";
import { CONSOLE_SYSTEM } from "./console-system.ts";
import { CONSOLE_PLATFORMS } from "./console-platforms.ts";
import { CONSOLE_REQUESTS } from "./console-requests.ts";
import { CONSOLE_RESOURCES } from "./console-resources.ts";
import { CONSOLE_RULES } from "./console-rules.ts";
import { CONSOLE_SECURITY } from "./console-security.ts";
import { CONSOLE_SESSIONS } from "./console-sessions.ts";
import { CONSOLE_STREAM } from "./console-stream.ts";
import { CONSOLE_WORKSPACE } from "./console-workspace.ts";
import type { ConsoleWorld } from "./console-world.ts";
import type { Document } from "./suite.ts";

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
