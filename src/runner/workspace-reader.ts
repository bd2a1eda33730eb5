// Reads workspaces for windows. The server holds the journal and must never open a user's file itself
// (D8), so it asks a tool host in the role of a reader: one per workspace, started when first needed,
// ended when nobody looks any more, and dead when the server is.
import type { FilesView, FileView, FindView } from "../protocol/api-records.ts";
import { startToolHost, type ToolHost } from "./tool-host-client.ts";
import type { READER_TOOL_NAMES } from "./tool-host/file-tool-names.ts";
import type { SandboxChoice } from "./tool-host/spawn-host.ts";

export type WorkspaceReaderOptions = {
  /** Holds the journal: no window may look there. */
  readonly home: string;
  readonly sandbox: SandboxChoice;
  readonly ripgrep?: () => Promise<string | undefined>;
  readonly idleMs?: number;
  readonly maxReaders?: number;
  readonly maxCalls?: number;
};

/** `code`: as the tool host says it, or `busy`. */
export type Read<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly code: string; readonly message: string };

type Asked<Options> = Options & { readonly workspace: string; readonly signal: AbortSignal };
type ListOptions = { readonly path: string; readonly depth: number; readonly hidden: boolean };
type ReadOptions = { readonly path: string; readonly first_line: number; readonly lines: number };
type FindOptions = {
  readonly q: string;
  readonly glob?: string | undefined;
  readonly regex: boolean;
  readonly in?: "names" | "contents" | undefined;
};

export interface WorkspaceReader extends AsyncDisposable {
  list(asked: Asked<ListOptions>): Promise<Read<FilesView>>;
  read(asked: Asked<ReadOptions>): Promise<Read<FileView>>;
  find(asked: Asked<FindOptions>): Promise<Read<FindView>>;
}

const IDLE_MS = 60_000;
const MAX_READERS = 4;
const MAX_CALLS = 16; // at once, of all windows
const PATIENCE_MS = 20_000;

type ReaderTool = (typeof READER_TOOL_NAMES)[number];
type Asking = { readonly tool: ReaderTool; readonly workspace: string; readonly input: object };

export function workspaceReader(options: WorkspaceReaderOptions): WorkspaceReader {
  const readers = readerPool(options);
  const { ripgrep = async () => undefined } = options;

  async function ask<Data>(asking: Asking, signal: AbortSignal): Promise<Read<Data>> {
    const reader = readers.take(asking.workspace);
    if (!reader) return { ok: false, code: "busy", message: "Too many are looking at files now." };
    const patience = AbortSignal.timeout(PATIENCE_MS);
    try {
      const answer = await reader.host.call({
        tool: asking.tool,
        input: asking.input,
        marker: "reader",
        notAfter: process.hrtime.bigint() + BigInt(PATIENCE_MS) * 1_000_000n,
        signal: AbortSignal.any([signal, patience]),
      });
      if (answer.ok) return { ok: true, data: answer.result as Data };
      const { code, message } = answer.error;
      return { ok: false, code, message: patience.aborted ? "It took too long." : message };
    } finally {
      reader.release();
    }
  }

  return {
    async list({ workspace, signal, path, depth, hidden }) {
      const input = { path, depth, hidden };
      const found = await ask<FilesView>({ tool: "browse", workspace, input }, signal);
      if (!found.ok) return found;
      return { ok: true, data: { ...found.data, workspace, depth, hidden } };
    },
    read: ({ workspace, signal, ...input }) => ask({ tool: "view", workspace, input }, signal),
    async find({ workspace, signal, ...wanted }) {
      const binary = await ripgrep();
      const input = { ...wanted, ...(binary !== undefined && { ripgrep: binary }) };
      return ask({ tool: "find", workspace, input }, signal);
    },
    [Symbol.asyncDispose]: () => readers.close(),
  };
}

type Pooled = { readonly host: ToolHost; calls: number; timer: NodeJS.Timeout | undefined };
type Taken = { readonly host: ToolHost; release(): void };

/** Least recently used first: a map keeps the order in which its keys were set. */
function readerPool({ home, sandbox, ...bounds }: WorkspaceReaderOptions) {
  const { idleMs = IDLE_MS, maxReaders = MAX_READERS, maxCalls = MAX_CALLS } = bounds;
  const pool = new Map<string, Pooled>();
  const ending = new Set<Promise<void>>();
  let calls = 0;

  function end(workspace: string, { host, timer }: Pooled): void {
    clearTimeout(timer);
    pool.delete(workspace);
    const ended = Promise.resolve(host[Symbol.asyncDispose]()).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function start(workspace: string): Pooled | undefined {
    if (pool.size >= maxReaders) {
      const idle = [...pool].find(([, one]) => one.calls === 0);
      if (!idle) return undefined;
      end(...idle);
    }
    const host = startToolHost({ workspace, protect: [home], sandbox, reader: true });
    return { host, calls: 0, timer: undefined };
  }

  return {
    take(workspace: string): Taken | undefined {
      if (calls >= maxCalls) return undefined;
      const reader = pool.get(workspace) ?? start(workspace);
      if (!reader) return undefined;
      pool.delete(workspace);
      pool.set(workspace, reader);
      clearTimeout(reader.timer);
      reader.calls += 1;
      calls += 1;
      return {
        host: reader.host,
        release() {
          reader.calls -= 1;
          calls -= 1;
          if (reader.calls > 0 || pool.get(workspace) !== reader) return;
          reader.timer = setTimeout(() => end(workspace, reader), idleMs).unref();
        },
      };
    },
    async close(): Promise<void> {
      for (const [workspace, reader] of pool) end(workspace, reader);
      await Promise.all(ending);
    },
  };
}
