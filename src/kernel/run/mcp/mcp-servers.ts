// The MCP servers of this runner: one connection per workspace, profile and server, made when a run
// first asks for its tools. A server that cannot be used is a problem to report, never a run that fails.
import { hash } from "node:crypto";
import { programOf, type McpServer } from "../../home/profile.ts";
import type { HostPipe, OpenRequest } from "../../workspace/client/tool-host/client.ts";
import type { Tool } from "../tools/tool.ts";
import type { Lookup } from "../web/resolve-host.ts";
import { canonical } from "../../journal/admit/plan-hash.ts";
import type { McpTransport } from "./connection.ts";
import type { ForeignTool } from "./describe-tool.ts";
import { foreignTool } from "./foreign-tool.ts";
import { httpTransport } from "./http-transport.ts";
import { McpUnavailable, messageOf } from "./mcp-errors.ts";
import { PipeTransport } from "./pipe-transport.ts";
import { ServerLink } from "./server-link.ts";

const CALL_MS = 600_000;

export type McpProblem = { readonly server: string; readonly message: string };
export type OpenServer = (
  at: {
    readonly workspace: string;
    readonly network: boolean;
    /** Whose folder it is that survives: of this profile and server. */
    readonly keeper: string;
  },
  request: OpenRequest,
) => Promise<HostPipe>;

export type McpOptions = {
  /** Starts a program in the workspace's tool host. */
  readonly open: OpenServer;
  readonly secrets: Secrets;
  readonly callMs?: number;
  readonly lookup?: Lookup;
};

export type McpRequest = {
  readonly workspace: string;
  readonly profile: string;
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly signal: AbortSignal;
};

export interface McpServers extends AsyncDisposable {
  tools(request: McpRequest): Promise<{ tools: Tool[]; problems: McpProblem[] }>;
}

export function mcpServers(options: McpOptions): McpServers {
  const { callMs = CALL_MS } = options;
  const links = new Map<string, ServerLink>();

  function linkTo(server: string, config: McpServer, request: McpRequest): ServerLink {
    const { workspace, profile } = request;
    const key = canonical({ server, config, workspace, profile });
    let link = links.get(key);
    if (!link) {
      const connectMs = config.startup_timeout_s * 1000;
      const transport = () => transportOf(server, config, { workspace, profile, options });
      links.set(key, (link = new ServerLink({ server, transport, connectMs })));
    }
    return link;
  }

  return {
    async tools(request) {
      const found = await Promise.all(
        Object.entries(request.servers).map(async ([server, config]) => {
          const link = linkTo(server, config, request);
          const inWorkspace = config.transport === "stdio";
          const program = programOf(config);
          return {
            server,
            program,
            link,
            inWorkspace,
            ...(await toolsOf(server, link, request.signal)),
          };
        }),
      );
      const calls = found.flatMap(({ tools, problems: _problems, ...of }) =>
        tools.map((tool) => ({ ...of, tool, callMs })),
      );
      const byName = Map.groupBy(calls, ({ tool }) => tool.name);
      const problems = found.flatMap((one) => one.problems);
      const tools: Tool[] = [];
      for (const [name, same] of byName) {
        const [only, ...others] = same;
        if (only && others.length === 0) tools.push(foreignTool(only));
        // Which one a model means could not be told, and a server must not stand in for another.
        else for (const { server, tool } of same) problems.push(collision(server, tool, name));
      }
      return { tools, problems };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...links.values()].map((link) => link[Symbol.asyncDispose]()));
      links.clear();
    },
  };
}

async function toolsOf(
  server: string,
  link: ServerLink,
  signal: AbortSignal,
): Promise<{ tools: readonly ForeignTool[]; problems: McpProblem[] }> {
  try {
    const { tools, refused } = await link.tools(signal);
    const problems = refused.map(({ original, problem }) => ({
      server,
      message: `Its tool “${original}” is left out. ${problem}`,
    }));
    return { tools, problems };
  } catch (error) {
    signal.throwIfAborted();
    return { tools: [], problems: [{ server, message: messageOf(error) }] };
  }
}

function collision(server: string, { original }: ForeignTool, name: string): McpProblem {
  const message = `Its tool “${original.slice(0, 100)}” is left out: another one is called ${name} too.`;
  return { server, message };
}

function transportOf(
  server: string,
  config: McpServer,
  { workspace, profile, options }: { workspace: string; profile: string; options: McpOptions },
): McpTransport {
  const { open, secrets, lookup } = options;
  if (config.transport === "stdio") {
    const { command, args, network } = config;
    const env = fillSecrets(config.env, secrets);
    const patience = BigInt(Math.ceil(config.startup_timeout_s * 1e9));
    const at = { workspace, network, keeper: `${profile}\0${server}` };
    const marker = `mcp_${hash("sha256", server).slice(0, 16)}`;
    return new PipeTransport((signal) => {
      const notAfter = process.hrtime.bigint() + patience;
      return open(at, { command, args, env, marker, notAfter, signal });
    });
  }
  const url = URL.parse(config.url);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new McpUnavailable(`Its url is not an http address. Correct it in the profile.`);
  return httpTransport({
    url,
    headers: fillSecrets(config.headers, secrets),
    ...(lookup && { lookup }),
  });
}

// Puts secrets where a profile names them: `${NAME}` in a server's environment or headers. A name
// nobody set is an error before anything starts, never an empty value.
type Secrets = (name: string) => string | undefined;

function fillSecrets(
  values: Readonly<Record<string, string>>,
  secrets: Secrets,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => {
        const secret = secrets(name);
        if (secret !== undefined) return secret;
        throw new McpUnavailable(
          `${key} needs the secret ${name}, which is not set. Set it first.`,
        );
      }),
    ]),
  );
}
