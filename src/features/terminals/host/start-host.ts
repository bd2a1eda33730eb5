// The server's side of a terminal's host: one process per terminal, started in the sandbox of tools. The
// server loads nothing that makes terminals: it looks where that package is and passes the path on.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { createLineSplitter, parseFrame } from "../../../kernel/workspace/host/frame-lines.ts";
import { serveHost } from "../../../kernel/workspace/client/host-process.ts";
import { settlesWithin } from "../../../kernel/workspace/processes/settles-within.ts";
import {
  sandboxKind,
  spawnHost,
  type HostProcess,
  type SandboxChoice,
  type SandboxKind,
} from "../../../kernel/workspace/host/spawn-host.ts";
import { MAX_TERMINAL_LINE, type FromTerminal, type ToTerminal } from "./frames.ts";
import type { TerminalExit, TerminalPart, TerminalSize } from "../records.ts";
import { toToolError } from "../../../kernel/workspace/host/tool-error.ts";

export type TerminalHostsOptions = {
  /** Holds the journal: no terminal is opened there, and in a sandbox none sees it. */
  readonly home: string;
  readonly sandbox: SandboxChoice;
  readonly readable?: readonly string[];
};
export interface TerminalHost extends AsyncDisposable {
  /** Of the process the server started: of the sandbox around the host where there is one. */
  readonly pid: number | undefined;
  readonly shell: string;
  /** One part at a time for each reader. `now`: does not wait for one. Undefined: the host is gone. */
  read(reader: string, from: { offset: number; now: boolean }): Promise<TerminalPart | undefined>;
  leave(reader: string): void;
  /** Settles once there is room for more, or the host is gone. */
  input(data: string): Promise<void>;
  resize(size: TerminalSize): void;
  /** How the program ended. Undefined: the host died and nobody saw it. */
  readonly ended: Promise<TerminalExit | undefined>;
}
export type Opened =
  | { readonly ok: true; readonly host: TerminalHost }
  | { readonly ok: false; readonly code: string; readonly message: string };
export type TerminalHosts = {
  open(asked: TerminalSize & { readonly workspace: string }): Promise<Opened>;
  /** Null: terminals can be opened here. Otherwise why not. */
  readonly missing: string | null;
  readonly sandbox: () => Promise<SandboxKind>;
};

const PACKAGE = "@lydell/node-pty";
const BINARY = `${PACKAGE}-${process.platform}-${process.arch}`;
const START_MS = 20_000;
const CLOSE_MS = 2_000;

export function terminalHosts({
  home,
  sandbox,
  readable = [],
}: TerminalHostsOptions): TerminalHosts {
  const found = findPackage();
  return {
    missing: found.missing,
    sandbox: () => sandboxKind(sandbox),
    async open({ workspace, cols, rows }) {
      if (found.missing !== null) return { ok: false, code: "no_pty", message: found.missing };
      const { module, places } = found;
      const mark = randomUUID();
      const terminal = { module, cols, rows };
      const options = { workspace, protect: [home], sandbox, mark, terminal };
      try {
        const child = await spawnHost({ ...options, readable: [...readable, ...places] });
        return await connected(child, mark);
      } catch (error) {
        const { code, message } = toToolError(error);
        return { ok: false, code, message };
      }
    },
  };
}

type Found =
  | { readonly missing: null; readonly module: string; readonly places: readonly string[] }
  | { readonly missing: string };

/** Looks where it is without loading it. */
function findPackage(): Found {
  const { resolve } = createRequire(import.meta.url);
  try {
    const module = resolve(PACKAGE);
    const binary = createRequire(module).resolve(`${BINARY}/package.json`);
    return { missing: null, module, places: [dirname(module), dirname(binary)] };
  } catch {
    const missing = `There is no terminal for ${process.platform}-${process.arch}: ${BINARY} is not installed.`;
    return { missing };
  }
}

async function connected(child: HostProcess, mark: string): Promise<Opened> {
  const host = new HostConnection(child, mark);
  if (!(await settlesWithin(host.ready, START_MS))) child.kill("SIGKILL");
  const ready = await host.ready;
  if (ready.kind === "ready") return { ok: true, host };
  await host[Symbol.asyncDispose]();
  return { ok: false, code: ready.code, message: ready.message };
}

type Ready = Extract<FromTerminal, { kind: "ready" | "failed" }>;
const NOT_STARTED: Ready = {
  kind: "failed",
  code: "spawn_failed",
  message: "The terminal's host did not start; the server's log says why.",
};

class HostConnection implements TerminalHost {
  readonly ready: Promise<Ready>;
  readonly ended: Promise<TerminalExit | undefined>;
  shell = "";
  readonly #child: HostProcess;
  readonly #ready = Promise.withResolvers<Ready>();
  readonly #ended = Promise.withResolvers<TerminalExit | undefined>();
  readonly #reads = new Map<string, (part: TerminalPart | undefined) => void>();
  readonly #inputs = new Map<string, () => void>();
  readonly #gone: Promise<void>;
  #open = true;
  #lastId = 0;

  constructor(child: HostProcess, mark: string) {
    this.#child = child;
    this.ready = this.#ready.promise;
    this.ended = this.#ended.promise;
    this.#gone = this.#serve(mark);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async read(
    reader: string,
    { offset, now }: { offset: number; now: boolean },
  ): Promise<TerminalPart | undefined> {
    if (!this.#open) return undefined;
    const { promise, resolve } = Promise.withResolvers<TerminalPart | undefined>();
    this.#reads.get(reader)?.(undefined);
    this.#reads.set(reader, resolve);
    this.#send({ kind: "read", reader, offset, now });
    return promise;
  }

  leave(reader: string): void {
    this.#reads.get(reader)?.(undefined);
    this.#reads.delete(reader);
    this.#send({ kind: "leave", reader });
  }

  async input(data: string): Promise<void> {
    if (!this.#open) return;
    const id = String((this.#lastId += 1));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#inputs.set(id, resolve);
    this.#send({ kind: "input", id, data });
    await promise;
  }

  resize({ cols, rows }: TerminalSize): void {
    this.#send({ kind: "resize", cols, rows });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end();
    if (!(await settlesWithin(this.#gone, CLOSE_MS))) this.#child.kill("SIGKILL");
    await this.#gone;
  }

  #send(frame: ToTerminal): void {
    if (this.#open) this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  async #serve(mark: string): Promise<void> {
    const split = createLineSplitter(MAX_TERMINAL_LINE);
    await serveHost({
      child: this.#child,
      mark,
      graceMs: 0,
      take: (chunk) => {
        for (const { text } of split(chunk)) this.#take(parseFrame<FromTerminal>(text));
      },
      closed: () => (this.#open = false),
    });
    this.#ready.resolve(NOT_STARTED);
    this.#ended.resolve(undefined);
    for (const settle of this.#reads.values()) settle(undefined);
    for (const settle of this.#inputs.values()) settle();
  }

  #take(frame: FromTerminal | undefined): void {
    if (frame?.kind === "output") {
      const { reader, kind: _, ...part } = frame;
      this.#reads.get(reader)?.(part);
      this.#reads.delete(reader);
    } else if (frame?.kind === "taken") {
      this.#inputs.get(frame.id)?.();
      this.#inputs.delete(frame.id);
    } else if (frame?.kind === "exit") {
      const { kind: _, ...exit } = frame;
      this.#ended.resolve(exit);
    } else if (frame) {
      if (frame.kind === "ready") this.shell = frame.shell;
      this.#ready.resolve(frame);
    }
  }
}
