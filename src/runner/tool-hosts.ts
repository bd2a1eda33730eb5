// One tool host per workspace, started when a run first needs it.
import { startToolHost, type ToolHost } from "./tool-host-client.ts";

export interface ToolHosts extends AsyncDisposable {
  readonly forWorkspace: (workspace: string) => ToolHost;
}

/** `home` holds the journal: no tool may touch it (D8). */
export function toolHosts(home: string): ToolHosts {
  const hosts = new Map<string, ToolHost>();
  return {
    forWorkspace(workspace) {
      let host = hosts.get(workspace);
      if (!host) {
        host = startToolHost({ workspace, protect: [home] });
        hosts.set(workspace, host);
      }
      return host;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...hosts.values()].map((host) => host[Symbol.asyncDispose]()));
    },
  };
}
