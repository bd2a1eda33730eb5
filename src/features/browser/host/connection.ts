// One browser host process and the calls made of it. Calls that it did not answer before its end are answered host_died
// once neither the host nor the browser that it started is left.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { childEnvironment } from "../../../kernel/workspace/sandbox/find/program.ts";
import { createLineSplitter, parseFrame } from "../../../kernel/workspace/host/frame-lines.ts";
import { serveHost } from "../../../kernel/workspace/client/host-process.ts";
import { programFile } from "../../../kernel/workspace/host/program-places.ts";
import { settlesWithin } from "../../../kernel/workspace/processes/settles-within.ts";
import { makePlace, removePlace } from "./place.ts";
import {
  MAX_BROWSER_LINE,
  type Beginning,
  type BrowserAction,
  type BrowserErrorCode,
  type FromBrowser,
  type PageAnswer,
  type ToBrowser,
} from "./frames.ts";

export type BrowserCall = {
  /** Whose tab: one per session. */
  readonly tab: string;
  readonly request: BrowserAction;
  readonly notAfter: bigint;
  readonly signal: AbortSignal;
};
export type BrowserReply =
  | { readonly ok: true; readonly answer: PageAnswer }
  | {
      readonly ok: false;
      readonly error: {
        readonly code: BrowserErrorCode | "not_connected" | "cannot_start" | "host_died";
        readonly message: string;
      };
    };

const START_MS = 45_000;
const ABORT_MS = 4_000;
const CLOSE_MS = 5_000;
const PROGRAM = programFile("features/browser/host/main");

export function browserFailure(
  code: Extract<BrowserReply, { ok: false }>["error"]["code"],
  message: string,
): BrowserReply {
  return { ok: false, error: { code, message } };
}

const DIED = browserFailure("host_died", "The browser ended in the middle of this");

type HostProcess = ChildProcessByStdio<Writable, Readable, null>;
type Ready = { readonly ok: true } | { readonly ok: false; readonly message: string };

export class BrowserConnection implements AsyncDisposable {
  readonly ready: Promise<Ready>;
  readonly ended: Promise<void>;
  readonly #child: HostProcess;
  readonly #ready = Promise.withResolvers<Ready>();
  readonly #calls = new Map<string, (reply: BrowserReply) => void>();
  #open = true;
  #lastId = 0;

  private constructor(child: HostProcess, place: Pick<Beginning, "mark" | "directory">) {
    this.#child = child;
    this.ready = this.#ready.promise;
    this.ended = this.#serve(place);
  }

  static async start(wanted: Omit<Beginning, "mark" | "directory">): Promise<BrowserConnection> {
    const directory = await makePlace();
    const mark = randomUUID();
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: "/",
      env: { ...childEnvironment(), TMPDIR: directory },
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(child, "spawn");
    const connection = new BrowserConnection(child, { mark, directory });
    connection.#send({ kind: "begin", ...wanted, mark, directory });
    if (!(await settlesWithin(connection.ready, START_MS))) child.kill("SIGKILL");
    return connection;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async call({ tab, request, notAfter, signal }: BrowserCall): Promise<BrowserReply> {
    if (!this.#open) return DIED;
    const id = String((this.#lastId += 1));
    const { promise, resolve } = Promise.withResolvers<BrowserReply>();
    this.#calls.set(id, resolve);
    this.#send({ kind: "call", id, tab, request, not_after: String(notAfter) });
    let timer: NodeJS.Timeout | undefined;
    const abort = () => {
      this.#send({ kind: "abort", id });
      timer = setTimeout(() => this.#child.kill("SIGKILL"), ABORT_MS); // it confirms, or it ends
    };
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#open = false;
    this.#child.stdin.end();
    if (!(await settlesWithin(this.ended, CLOSE_MS))) this.#child.kill("SIGKILL");
    await this.ended;
  }

  #send(frame: ToBrowser): void {
    this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  async #serve({ mark, directory }: Pick<Beginning, "mark" | "directory">): Promise<void> {
    const split = createLineSplitter(MAX_BROWSER_LINE);
    await serveHost({
      child: this.#child,
      mark,
      graceMs: CLOSE_MS,
      take: (chunk) => {
        for (const { text } of split(chunk)) this.#take(parseFrame<FromBrowser>(text));
      },
      closed: () => (this.#open = false),
    });
    await removePlace(directory);
    this.#ready.resolve({
      ok: false,
      message: "The browser's host did not start; the log says why.",
    });
    for (const settle of this.#calls.values()) settle(DIED);
    this.#calls.clear();
  }

  #take(frame: FromBrowser | undefined): void {
    if (frame?.kind === "ready") this.#ready.resolve({ ok: true });
    else if (frame?.kind === "failed") this.#ready.resolve({ ok: false, message: frame.message });
    else if (frame?.kind === "done") {
      const settle = this.#calls.get(frame.id);
      this.#calls.delete(frame.id);
      settle?.(frame.ok ? { ok: true, answer: frame.answer } : { ok: false, error: frame.error });
    }
  }
}
