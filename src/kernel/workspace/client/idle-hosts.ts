// Ends idle tool hosts: each is three processes and 43 MB. A host with a call, a pipe or a background command is
// never ended; one that was ended starts again with its next call.
import type { HostEvents, ToolHost } from "./tool-host/client.ts";

export type IdleHostsOptions = {
  /** How long a host is kept that no held run has used. */
  readonly idleMs?: number;
  /** More than this many are kept only while all of them work. */
  readonly most?: number;
  /** Whether this runner still works on the run: what a run left in the sandbox stays there meanwhile. */
  readonly isHeld?: (runId: string) => boolean;
};
type Used = {
  readonly host: ToolHost;
  readonly runs: Set<string>;
  /** Commands in the background, and the host process that has them: they died with it. */
  readonly background: Map<string, number | undefined>;
  working: number; // calls and pipes
  usedAt: number;
};
export interface IdleHosts extends Disposable {
  /** The host that `start` makes, watched. */
  watch(news: HostEvents, start: (news: HostEvents) => ToolHost): ToolHost;
}

const IDLE_MS = 600_000;
const MAX = 16;
const LOOKS = 10; // within the time that a host is kept

export function idleHosts({
  idleMs = IDLE_MS,
  most = MAX,
  isHeld = () => false,
}: IdleHostsOptions): IdleHosts {
  const all = new Set<Used>();
  const free = () => [...all].filter((used) => used.host.pid !== undefined && !works(used));

  function makeRoom(): void {
    const running = [...all].filter(({ host }) => host.pid !== undefined).length;
    const oldestFirst = free().toSorted((a, b) => a.usedAt - b.usedAt);
    for (const { host } of oldestFirst.slice(0, Math.max(0, running - most))) void host.rest();
  }
  function look(): void {
    for (const { host, runs, usedAt } of free()) {
      for (const run of runs) if (!isHeld(run)) runs.delete(run);
      if (runs.size === 0 && performance.now() - usedAt >= idleMs) void host.rest();
    }
    makeRoom();
  }
  const timer = setInterval(look, idleMs / LOOKS).unref();
  return {
    watch(news, start) {
      const background: Used["background"] = new Map();
      const host = start({
        ...news,
        onProcessExit(exit) {
          background.delete(exit.processId);
          news.onProcessExit?.(exit);
        },
      });
      const used = { host, runs: new Set<string>(), background, working: 0, usedAt: 0 };
      all.add(used);
      return watched(used, makeRoom);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function works({ host, working, background }: Used): boolean {
  return working > 0 || [...background.values()].includes(host.pid);
}

function watched(used: Used, makeRoom: () => void): ToolHost {
  const { host } = used;
  function begin(runId: string): () => void {
    used.runs.add(runId);
    used.working += 1;
    return () => {
      used.working -= 1;
      used.usedAt = performance.now();
      makeRoom();
    };
  }
  return {
    get pid() {
      return host.pid;
    },
    get fixed() {
      return host.fixed;
    },
    async call(request) {
      const end = begin(request.marker);
      try {
        const answer = await host.call(request);
        const started = answer.ok && request.tool === "exec" && answer.result["process_id"];
        if (typeof started === "string") used.background.set(started, host.pid);
        return answer;
      } finally {
        end();
      }
    },
    async open(request) {
      const end = begin(request.marker);
      try {
        const pipe = await host.open(request);
        pipe.onExit(end);
        return pipe;
      } catch (error) {
        end();
        throw error;
      }
    },
    rest: () => host.rest(),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}
