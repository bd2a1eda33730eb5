// The commands that work as a message, in the form the browser completes them from.
import type { FastifyPluginAsync } from "fastify";
import { CONSOLE_COMMANDS } from "../console/wire/commands.ts";
import { EVERYWHERE } from "../../kernel/text/slash-commands.ts";

const NAMES: ReadonlySet<string> = new Set(EVERYWHERE);
const COMMANDS = CONSOLE_COMMANDS.filter(({ name }) => NAMES.has(name));

export function commandRoutes(): FastifyPluginAsync {
  return async (app) => {
    app.get("/commands", async () => ({ commands: COMMANDS }));
  };
}
