// The browser's tools in a runner, while a person has connected a browser. Apart from cli.ts: a server loads none of it.
import type { RunnerTools } from "../../../cli/beside-runs.ts";
import { browserHosts } from "../host/hosts.ts";
import { createBrowserTools } from "../runner/tool.ts";

export const browserRunnerTools: RunnerTools = ({ config, journal, logError }) => {
  const { browser_executable: executable, allow_private_hosts: allowPrivateHosts } = config;
  const hosts = browserHosts({ journal, executable, allowPrivateHosts, logError });
  const tools = createBrowserTools(hosts);
  return {
    tools: async () => ((await hosts.chosen()) ? tools : []),
    [Symbol.asyncDispose]: () => hosts[Symbol.asyncDispose](),
  };
};
