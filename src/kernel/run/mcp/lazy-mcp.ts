// Foreign servers for a runner whose profiles may have none: the library is loaded when one has.
import type { McpOptions, McpServers } from "./mcp-servers.ts";

export function lazyMcp(options: McpOptions): McpServers {
  let loading: Promise<McpServers> | undefined;
  const load = async () => (await import("./mcp-servers.ts")).mcpServers(options);
  return {
    async tools(request) {
      return (await (loading ??= load())).tools(request);
    },
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]();
    },
  };
}
