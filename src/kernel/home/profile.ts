// A profile: who the agent is. One folder per profile in the home, `profiles/<name>/`, plain files
// that people read and edit. What one profile keeps is never shown to another.
import type { Budget } from "../events/catalogue/lifecycle.ts";
import type { Rule } from "../events/catalogue/permissions.ts";

/** How to reach a server of foreign tools. Secrets are named, not written: `${NAME}` is looked up. */
export type McpServer =
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly network: boolean;
      readonly startup_timeout_s: number;
    }
  | {
      readonly transport: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly startup_timeout_s: number;
    };

/** What a rule that trusts a server is bound to: what is started, or where it is. */
export function programOf(server: McpServer): string {
  return server.transport === "stdio"
    ? JSON.stringify([server.command, ...server.args])
    : server.url;
}

export type Profile = {
  readonly name: string;
  readonly directory: string; // memory and skills live in it
  readonly model: string | null; // null: the session's
  readonly prompt: string | null; // null: the built-in one
  readonly tools: readonly string[] | null; // null: all there are
  readonly permissions: readonly Rule[];
  readonly budget: Budget | null;
  readonly approvalExpiresS: number | null; // null: an approval waits for ever
  readonly mcp: Readonly<Record<string, McpServer>>;
};

export const DEFAULT_PROFILE = "default";
