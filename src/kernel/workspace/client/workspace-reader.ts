// Reads workspaces for windows. The server holds the journal and must never open a user's file itself (D8), so it
// asks a tool host in the role of a reader: one per workspace, started when first needed and ended when idle or with
// the server.
import type {
  FilesView,
  FileText,
  FileView,
  FindView,
  GitView,
} from "../../api/records/records.ts";
import { findRepository } from "./find-repository.ts";
import { type ToolOutput, startToolHost, type ToolHost } from "./tool-host/client.ts";
import type { ReaderToolName } from "../host/tools.ts";
import type { SandboxChoice } from "../host/spawn-host.ts";

export type WorkspaceReaderOptions = ReaderBounds & {
  /** Holds the journal: no window may look there. */
  readonly home: string;
  readonly sandbox: SandboxChoice;
  readonly ripgrep?: () => Promise<string | undefined>;
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
  readonly path?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly max?: number | undefined;
};
type GitOptions = {
  readonly action: GitView["action"];
  readonly [option: string]: unknown;
};

export interface WorkspaceReader extends AsyncDisposable {
  list(asked: Asked<ListOptions>): Promise<Read<FilesView>>;
  read(asked: Asked<ReadOptions>): Promise<Read<FileView>>;
  find(asked: Asked<FindOptions>): Promise<Read<FindView>>;
  text(asked: Asked<{ readonly path: string }>): Promise<Read<FileText>>;
  git(asked: Asked<GitOptions>): Promise<Read<GitView>>;
}

const PATIENCE_MS = 20_000;

type Asking = ReaderPlace & {
  readonly tool: ReaderToolName;
  readonly input: object;
  readonly onOutput?: (output: ToolOutput) => void;
};

type Ask = <Data>(asking: Asking, signal: AbortSignal) => Promise<Read<Data>>;

export function workspaceReader(options: WorkspaceReaderOptions): WorkspaceReader {
  const readers = readerPool(options);
  const ask = askOf(readers);
  const { ripgrep = async () => undefined } = options;
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
    text: (asked) => readText(ask, asked),
    git: (asked) => readGit(ask, asked),
    [Symbol.asyncDispose]: () => readers.close(),
  };
}

function askOf(readers: ReturnType<typeof readerPool>): Ask {
  return async <Data>(asking: Asking, signal: AbortSignal): Promise<Read<Data>> => {
    const reader = readers.take(asking);
    if (!reader) return { ok: false, code: "busy", message: "Too many are looking at files now." };
    const patience = AbortSignal.timeout(PATIENCE_MS);
    try {
      const answer = await reader.host.call({
        tool: asking.tool,
        input: asking.input,
        marker: "reader",
        notAfter: process.hrtime.bigint() + BigInt(PATIENCE_MS) * 1_000_000n,
        signal: AbortSignal.any([signal, patience]),
        ...(asking.onOutput && { onOutput: asking.onOutput }),
      });
      if (answer.ok) return { ok: true, data: answer.result as Data };
      const { code, message } = answer.error;
      return { ok: false, code, message: patience.aborted ? "It took too long." : message };
    } finally {
      reader.release();
    }
  };
}

async function readText(
  ask: Ask,
  { workspace, signal, path }: Asked<{ path: string }>,
): Promise<Read<FileText>> {
  const parts: Buffer[] = [];
  const onOutput = ({ data }: ToolOutput) => void parts.push(data);
  const asking = { tool: "text", workspace, input: { path }, onOutput } as const;
  const found = await ask<Omit<FileText, "text">>(asking, signal);
  if (!found.ok) return found;
  return { ok: true, data: { ...found.data, text: Buffer.concat(parts).toString("utf8") } };
}

async function readGit(
  ask: Ask,
  { workspace, signal, ...input }: Asked<GitOptions>,
): Promise<Read<GitView>> {
  const { action } = input;
  const repository = await findRepository(workspace, async (folder) => {
    const pointer = await readText(ask, { workspace: folder, signal, path: ".git" });
    return pointer.ok ? pointer.data.text : undefined;
  });
  if (!("top" in repository)) {
    return { ok: true, data: { action, repository: false, ...repository } as GitView };
  }
  const { readable, ...place } = repository;
  const request = { ...input, repository: place };
  const found = await ask<GitView>({ tool: "git", workspace, readable, input: request }, signal);
  return found.ok ? { ok: true, data: { ...found.data, action } as GitView } : found;
}

// The tool hosts that read for windows: one per workspace (and per what else it may read), started when first
// needed, ended when nobody looks any more. How many there are, and how many calls at once, is bounded.
type ReaderBounds = {
  readonly idleMs?: number;
  readonly maxReaders?: number;
  readonly maxCalls?: number;
};
type PoolOptions = ReaderBounds & { readonly home: string; readonly sandbox: SandboxChoice };
/** `readable`: beside the workspace, where a sandbox would not show it. */
type ReaderPlace = { readonly workspace: string; readonly readable?: readonly string[] };

const IDLE_MS = 60_000;
const MAX_READERS = 4;
const MAX_CALLS = 16; // at once, of all windows

type Pooled = { readonly host: ToolHost; calls: number; timer: NodeJS.Timeout | undefined };
type Taken = { readonly host: ToolHost; release(): void };

/** Least recently used first: a map keeps the order in which its keys were set. */
function readerPool({ home, sandbox, ...bounds }: PoolOptions) {
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
