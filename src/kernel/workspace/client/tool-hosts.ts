// Tool hosts by workspace and by what they may access, started when first needed and ended when idle: one for the
// files of a workspace (or of another allowed directory), and one for its commands per set of rights. What a host may
// access is fixed when it starts.
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { idleHosts, type IdleHostsOptions } from "./idle-hosts.ts";
import { hostTag } from "../../run/tools/process-ids.ts";
import type { HostGrants } from "../../run/tools/tool.ts";
import { startToolHost, type HostEvents, type ToolHost } from "./tool-host/client.ts";
import type { FixedFiles } from "../sandbox/sandbox-layout.ts";
import { sandboxKind, type SandboxChoice, type SandboxKind } from "../host/spawn-host.ts";
import { ToolError } from "../host/tool-error.ts";
import type { Limits } from "../host/watchdog.ts";

export type ToolHostsOptions = HostEvents & {
  /** Holds the journal: no tool may touch it (D8). */
  readonly home: string;
  readonly sandbox: SandboxChoice;
  readonly limits?: Limits;
  /** Directories outside the workspace that sandboxed commands may read, such as toolchains. */
  readonly readable?: readonly string[];
  readonly idle?: IdleHostsOptions;
};

export interface ToolHosts extends AsyncDisposable {
  readonly forWorkspace: (workspace: string, grants?: HostGrants) => ToolHost;
  /** What tools of this runner run in: for `run.started` and for status. */
  readonly sandboxKind: () => Promise<SandboxKind>;
}

type Survey = Record<"repositories" | "programs" | "links", string[]> & { found: object };
const PATIENCE_NS = 30_000_000_000n;

export function toolHosts(given: ToolHostsOptions): ToolHosts {
  const { home, sandbox, idle: when = {}, ...options } = given;
  const hosts = new Map<string, ToolHost>();
  const idle = idleHosts(when);

  function forWorkspace(workspace: string, grants: HostGrants = {}): ToolHost {
    const { root, network, protected: changes = false, hidden = [], keeper } = grants;
    const place = { workspace: root ?? workspace, outside: root !== undefined };
    const forFiles = network === undefined;
    const tag = forFiles ? "files" : (grants.tag ?? hostTag(grants));
    const key = JSON.stringify([place, tag, keeper]);
    let host = hosts.get(key);
    if (!host) {
      const fixed = () => fixedIn(workspace, { changes });
      const cache = join(home, "caches", shortHash(keeper ?? workspace));
      const keepsHome = keeper !== undefined;
      const what = forFiles
        ? { role: "files" as const }
        : { network, hidden, fixed, cache, keepsHome };
      const start = { ...options, ...place, ...what, protect: [home], sandbox };
      host = idle.watch(options, (news) => startToolHost({ ...start, ...news }));
      hosts.set(key, host);
    }
    return host;
  }

  /** Asked of the host for files: this process, which holds the journal, opens no file of a workspace (D8). */
  async function fixedIn(
    workspace: string,
    { changes }: { changes: boolean },
  ): Promise<FixedFiles | undefined> {
    if ((await sandboxKind(sandbox)) === "none") return undefined;
    const answer = await forWorkspace(workspace).call({
      tool: "guard",
      input: {},
      marker: "guard",
      notAfter: process.hrtime.bigint() + PATIENCE_NS,
      signal: AbortSignal.timeout(Number(PATIENCE_NS / 1_000_000n)),
    });
    if (!answer.ok) throw new ToolError("spawn_failed", answer.error.message);
    const below = (paths: readonly string[]) => paths.map((path) => join(workspace, path));
    const { found, repositories, programs, links } = answer.result as Survey;
    if (changes) return { paths: [], repositories: [], links: below(links) };
    return {
      paths: below([...Object.keys(found), ...programs]),
      repositories: below([...repositories, ...programs.flatMap(foldersAbove)]),
      links: below(links),
    };
  }

  return {
    forWorkspace,
    sandboxKind: () => sandboxKind(sandbox),
    async [Symbol.asyncDispose]() {
      idle[Symbol.dispose]();
      await Promise.all([...hosts.values()].map((host) => host[Symbol.asyncDispose]()));
    },
  };
}

/** Of a relative path. Renamed, one of them would make room for another folder in the place of a read-only one. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === "." ? [] : [...foldersAbove(above), above];
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
