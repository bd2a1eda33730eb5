// The tool hosts that read for windows: one per workspace (and per what else it may read), started when first
// needed, ended when nobody looks any more. How many there are, and how many calls at once, is bounded.
import { startToolHost, type ToolHost } from "./tool-host-client.ts";
import type { SandboxChoice } from "../host/spawn-host.ts";

export type ReaderBounds = {
  readonly idleMs?: number;
  readonly maxReaders?: number;
  readonly maxCalls?: number;
};
type PoolOptions = ReaderBounds & { readonly home: string; readonly sandbox: SandboxChoice };
/** `readable`: beside the workspace, where a sandbox would not show it. */
export type ReaderPlace = { readonly workspace: string; readonly readable?: readonly string[] };

const IDLE_MS = 60_000;
const MAX_READERS = 4;
const MAX_CALLS = 16; // at once, of all windows

type Pooled = { readonly host: ToolHost; calls: number; timer: NodeJS.Timeout | undefined };
type Taken = { readonly host: ToolHost; release(): void };

/** Least recently used first: a map keeps the order in which its keys were set. */
export function readerPool({ home, sandbox, ...bounds }: PoolOptions) {
  const { idleMs = IDLE_MS, maxReaders = MAX_READERS, maxCalls = MAX_CALLS } = bounds;
  const pool = new Map<string, Pooled>();
  const ending = new Set<Promise<void>>();
  let calls = 0;

  function end(key: string, { host, timer }: Pooled): void {
    clearTimeout(timer);
    pool.delete(key);
    const ended = Promise.resolve(host[Symbol.asyncDispose]()).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function start({ workspace, readable = [] }: ReaderPlace): Pooled | undefined {
    if (pool.size >= maxReaders) {
      const idle = [...pool].find(([, one]) => one.calls === 0);
      if (!idle) return undefined;
      end(...idle);
    }
    const host = startToolHost({ workspace, protect: [home], sandbox, readable, role: "reader" });
    return { host, calls: 0, timer: undefined };
  }

  return {
    take(place: ReaderPlace): Taken | undefined {
      if (calls >= maxCalls) return undefined;
      const key = JSON.stringify([place.workspace, place.readable ?? []]);
      const reader = pool.get(key) ?? start(place);
      if (!reader) return undefined;
      pool.delete(key);
      pool.set(key, reader);
      clearTimeout(reader.timer);
      reader.calls += 1;
      calls += 1;
      return {
        host: reader.host,
        release() {
          reader.calls -= 1;
          calls -= 1;
          if (reader.calls > 0 || pool.get(key) !== reader) return;
          reader.timer = setTimeout(() => end(key, reader), idleMs).unref();
        },
      };
    },
    async close(): Promise<void> {
      for (const [key, reader] of pool) end(key, reader);
      await Promise.all(ending);
    },
  };
}
