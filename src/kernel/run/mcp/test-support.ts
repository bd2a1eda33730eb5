// For tests only: a tool host, a run, and the fixture server as a profile would name it.
import { join } from "node:path";
import { textOf } from "../../../../test/support/runs.ts";
import { toolRun, type ToolRun } from "../../../../test/support/tool-run.ts";
import type { McpServer } from "../../home/profile.ts";
import { startToolHost, type ToolHost } from "../../workspace/client/tool-host/client.ts";
import { temporaryDirectory } from "../../workspace/host/test-support.ts";
import type { Tool } from "../tools/tool.ts";
import { mcpServers, type McpOptions, type McpProblem } from "./mcp-servers.ts";

const FIXTURE = join(import.meta.dirname, "../../../../test/support/servers/mcp-server.ts");

export function fixture(env: Record<string, string> = {}): McpServer {
  return {
    transport: "stdio",
    command: process.execPath,
    args: [FIXTURE],
    env,
    network: false,
    startup_timeout_s: 30, // a busy machine is no failure here
  };
}

export type McpTest = AsyncDisposable & {
  readonly run: ToolRun;
  readonly host: ToolHost;
  readonly tools: (servers?: Record<string, McpServer>) => Promise<Listed>;
  /** A tool of the server named "fix". */
  readonly tool: (name: string, servers?: Record<string, McpServer>) => Promise<Tool>;
  /** What arrived at the server. */
  readonly ledger: (line: string) => number;
  readonly server: (env?: Record<string, string>) => McpServer;
};
type Listed = { tools: Tool[]; problems: McpProblem[] };

export async function mcpTest({
  claimedUntil,
  ...options
}: Partial<McpOptions> & { claimedUntil?: () => bigint } = {}): Promise<McpTest> {
  const directory = await temporaryDirectory();
  const run = await toolRun(claimedUntil);
  const host = startToolHost({ workspace: directory.path, protect: [], sandbox: "off" });
  const servers = mcpServers({
    open: (_at, request) => host.open(request),
    secrets: () => undefined,
    ...options,
  });
  const server = (env: Record<string, string> = {}) =>
    fixture({ LEDGER: directory.at("ledger"), ...env });
  const list = (wanted = { fix: server() } as Record<string, McpServer>): Promise<Listed> =>
    servers.tools({
      workspace: directory.path,
      profile: "default",
      servers: wanted,
      signal: run.log.signal,
    });
  return {
    run,
    host,
    server,
    tools: list,
    async tool(name, wanted) {
      const { tools, problems } = await list(wanted);
      const found = tools.find((tool) => tool.name === `mcp__fix__${name}`);
      if (!found) throw new Error(`no tool ${name}: ${JSON.stringify(problems)}`);
      return found;
    },
    ledger(line) {
      const lines = textOf(directory.at("ledger")).split("\n");
      return lines.filter((one) => one.startsWith(line)).length;
    },
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await run[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
