// A shell on a pseudo terminal. The package that makes one is loaded here and nowhere else, by a path
// the server resolved: no process that holds the journal loads it.
import { accessSync, constants, write } from "node:fs";
import { constants as system } from "node:os";
import { pathToFileURL } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import type { IPty, spawn } from "@lydell/node-pty";
import { commandEnvironment } from "../../../kernel/workspace/sandbox/environment.ts";
import type { TerminalSize } from "../records.ts";
import { errnoOf } from "../../../kernel/workspace/host/tool-error.ts";

export type Shell = {
  readonly path: string;
  readonly pid: number;
  /** Settles once the program has room for more. */
  write(data: string): Promise<void>;
  resize(size: TerminalSize): void;
  flow(go: "on" | "wait"): void;
  /** After everything it printed. */
  readonly exit: Promise<{ readonly exit_code: number | null; readonly signal: string | null }>;
};
export type ShellOptions = TerminalSize & {
  readonly module: string;
  readonly cwd: string;
  readonly marks: Readonly<Record<string, string>>;
  readonly sandboxed: boolean;
  readonly onOutput: (chunk: Buffer) => void;
};

const NAME = "xterm-256color";
const LOOK_MS = 50;

/** Rejects with `NoPty` where the package does not work on this machine. */
export async function startShell(options: ShellOptions): Promise<Shell> {
  const { cols, rows, cwd, marks } = options;
  const make = await loaded(options.module);
  const path = shellPath(options.sandboxed);
  const pty = make(path, [], {
    name: NAME,
    cols,
    rows,
    cwd,
    encoding: null, // bytes as they are: a character may be cut in two
    env: { ...commandEnvironment(process.env), SHELL: path, COLORTERM: "truecolor", ...marks },
  });
  pty.onData((data) => options.onOutput(data as unknown as Buffer));
  const { fd } = pty as unknown as { readonly fd: number }; // missing in its types
  const isOpen = openness(pty);
  const exit = new Promise<Awaited<Shell["exit"]>>((resolve) => {
    pty.onExit(({ exitCode, signal = 0 }) =>
      resolve({ exit_code: signal > 0 ? null : exitCode, signal: signalName(signal) }),
    );
  });
  return {
    path,
    pid: pty.pid,
    write: terminalWriter(fd, isOpen),
    resize: ({ cols: width, rows: height }) => {
      if (isOpen()) pty.resize(width, height); // throws on one that is closed
    },
    flow: flowOf(pty),
    exit,
  };
}

/** A program may go on without its terminal (`exec sleep 9 <&- >&- 2>&-`): then the package has closed it. */
function openness(pty: IPty): () => boolean {
  let closed = false;
  const emitter = pty as unknown as { on(name: "close", then: () => void): void }; // missing in its types
  emitter.on("close", () => (closed = true));
  return () => !closed && isThere(pty.pid);
}

export class NoPty extends Error {}

async function loaded(module: string): Promise<typeof spawn> {
  try {
    const { default: pty } = (await import(pathToFileURL(module).href)) as {
      default: { spawn: typeof spawn };
    };
    return pty.spawn;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new NoPty(why, { cause: error });
  }
}

/** In a sandbox the person's settings are not there, and some shells ask a stranger questions first. */
function shellPath(sandboxed: boolean): string {
  const own = sandboxed ? undefined : process.env["SHELL"];
  const found = [own, "/bin/bash", "/bin/sh"].find((path) => path?.startsWith("/") && runs(path));
  return found ?? "/bin/sh";
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The package drops what was not read 200 ms after the program's end. Whoever waits must therefore look
 * whether it still lives, and read the little that is left at once.
 */
function flowOf(pty: IPty): Shell["flow"] {
  let looking: NodeJS.Timeout | undefined;
  const goOn = () => {
    clearInterval(looking);
    looking = undefined;
    pty.resume();
  };
  return (go) => {
    if (go === "on") return goOn();
    pty.pause();
    looking ??= setInterval(() => {
      if (!isThere(pty.pid)) goOn();
    }, LOOK_MS);
  };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signalName(number: number): string | null {
  if (number === 0) return null;
  return Object.entries(system.signals).find(([, value]) => value === number)?.[0] ?? `${number}`;
}

// Types into a pseudo terminal. The package's own way blocks the whole process while the program does not
// read (libuv writes to terminals until they have room), and queues without end; so the descriptor, which
// does not block, is written to here, piece by piece, and whoever types waits for room.
type TerminalWriter = (data: string) => Promise<void>;

const QUEUED_BYTES = 65_536; // typed, and not yet taken by the terminal
const AGAIN_MS = 10;

/** What was not read before the terminal was closed is dropped; its descriptor may be another's. */
function terminalWriter(fd: number, isOpen: () => boolean): TerminalWriter {
  const queue: Buffer[] = [];
  let queued = 0;
  let room: PromiseWithResolvers<void> | undefined;
  let writing = false;

  function took(bytes: number): void {
    queued -= bytes;
    if (queued > QUEUED_BYTES) return;
    room?.resolve();
    room = undefined;
  }

  async function drain(): Promise<void> {
    writing = true;
    for (let [next] = queue; next; [next] = queue) {
      const done = isOpen() ? await written(fd, next) : "gone";
      if (done === "gone") {
        queue.length = 0;
        took(queued);
      } else if (done === "full") await delay(AGAIN_MS);
      else {
        const rest = next.subarray(done);
        if (rest.length > 0) queue[0] = rest;
        else queue.shift();
        took(done);
      }
    }
    writing = false;
  }

  return async (data) => {
    const bytes = Buffer.from(data);
    queue.push(bytes);
    queued += bytes.length;
    if (!writing) void drain(); // never rejects
    if (queued > QUEUED_BYTES) await (room ??= Promise.withResolvers<void>()).promise;
  };
}

function written(fd: number, bytes: Buffer): Promise<number | "full" | "gone"> {
  return new Promise((resolve) => {
    write(fd, bytes, (error, count) => {
      if (!error) resolve(count);
      else resolve(errnoOf(error) === "EAGAIN" ? "full" : "gone");
    });
  });
}
