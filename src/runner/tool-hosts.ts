// One tool host per workspace (or other directory a person allowed) and per right to the network,
// started when a run first needs it. What one of them may reach is fixed when it starts.
import type { HostGrants } from "./tools/tool.ts";
import { startToolHost, type HostNews, type ToolHost } from "./tool-host-client.ts";
import { sandboxKind, type SandboxChoice, type SandboxKind } from "./tool-host/spawn-host.ts";
import type { Limits } from "./tool-host/watchdog.ts";

export type ToolHostsOptions = HostNews & {
  /** Holds the journal: no tool may touch it (D8). */
  readonly home: string;
  readonly sandbox: SandboxChoice;
  readonly limits?: Limits;
  /** Directories outside the workspace that sandboxed commands may read, such as toolchains. */
  readonly readable?: readonly string[];
};

export interface ToolHosts extends AsyncDisposable {
  readonly forWorkspace: (workspace: string, grants?: HostGrants) => ToolHost;
  /** What tools of this runner run in: for `run.started` and for status. */
  readonly sandboxKind: () => Promise<SandboxKind>;
}

export function toolHosts({ home, sandbox, ...options }: ToolHostsOptions): ToolHosts {
  const hosts = new Map<string, ToolHost>();
  return {
    forWorkspace(workspace, { root = workspace, network = false } = {}) {
      const key = JSON.stringify([root, network]);
      let host = hosts.get(key);
      if (!host) {
        host = startToolHost({ ...options, workspace: root, protect: [home], sandbox, network });
        hosts.set(key, host);
      }
      return host;
    },
    sandboxKind: () => sandboxKind(sandbox),
    async [Symbol.asyncDispose]() {
      await Promise.all([...hosts.values()].map((host) => host[Symbol.asyncDispose]()));
    },
  };
}
