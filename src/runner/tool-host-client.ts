// The runner's side of a tool host: starts it when first needed, and afresh after it died.
// A call whose host died is answered host_died, never retried: whether it took effect is unknown (X3).
import { randomUUID } from "node:crypto";
import { HOST_MARK } from "./tool-host/environment.ts";
import { createLineSplitter } from "./tool-host/frame-lines.ts";
import {
  MAX_HOST_LINE,
  MAX_RUNNER_LINE,
  parseHostLine,
  type DoneFrame,
  type HostFrame,
  type OutputFrame,
  type RunnerFrame,
} from "./tool-host/frames.ts";
import { killMarked } from "./tool-host/marked-processes.ts";
import { settlesWithin } from "./tool-host/settles-within.ts";
import { spawnHost, type HostProcess } from "./tool-host/spawn-host.ts";

const ABORT_MS = 3_000;
const CLOSE_MS = 2_000;

export type ToolOutput = { stream: "stdout" | "stderr"; data: Buffer };
export type ToolHostResult =
  | { ok: true; result: Record<string, unknown> }
  | { ok: false; error: { code: string; message: string } };
export type ToolCallRequest = {
  tool: "read" | "write" | "exec";
  input: unknown;
  marker: string;
  /** On the clock of process.hrtime.bigint(); the host begins nothing after it. */
  notAfter: bigint;
  /** A promise holds back all further output until it settles. A failure aborts the call, which then rejects with it. */
  onOutput?: (output: ToolOutput) => void | Promise<void>;
  signal: AbortSignal;
};
export interface ToolHost extends AsyncDisposable {
  call(request: ToolCallRequest): Promise<ToolHostResult>;
  readonly pid: number | undefined;
}
export type ToolHostOptions = {
  workspace: string;
  /** Directories no tool may touch: the journal's home. */
  protect: readonly string[];
};

export function startToolHost(options: ToolHostOptions): ToolHost {
  return new RestartingToolHost(options);
}

class RestartingToolHost implements ToolHost {
  readonly #options: ToolHostOptions;
  #connecting: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #disposed = false;

  constructor(options: ToolHostOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  async call(request: ToolCallRequest): Promise<ToolHostResult> {
    for (;;) {
      if (this.#disposed) return refusal("spawn_failed", "The tool host was closed");
      if (request.signal.aborted) return refusal("aborted", "Aborted before it began");
      let connection: Connection;
      try {
        connection = await (this.#connecting ??= this.#connect());
      } catch (error) {
        return refusal("spawn_failed", error instanceof Error ? error.message : String(error));
      }
      if (!connection.isOpen) await connection.ended;
      else if (!request.signal.aborted) return connection.call(request);
    }
  }

  async #connect(): Promise<Connection> {
    const forget = () => {
      this.#connecting = undefined;
      this.#connection = undefined;
    };
    const mark = randomUUID();
    try {
      const child = await spawnHost({ ...this.#options, mark });
      this.#connection = new Connection(child, mark, forget);
      return this.#connection;
    } catch (error) {
      forget();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    const connection = await this.#connecting?.catch(() => undefined);
    await connection?.close();
  }
}

type Call = {
  readonly request: ToolCallRequest;
  readonly settled: PromiseWithResolvers<ToolHostResult>;
  lastFrame: number;
  timer?: NodeJS.Timeout;
  failure?: { readonly error: unknown };
};

/** One host process. Everything it answered before its end counts; the rest is host_died. */
class Connection {
  readonly ended: Promise<void>;
  readonly #child: HostProcess;
  readonly #calls = new Map<string, Call>();
  #lastId = 0;
  #open = true;
  /** Set while output is being delivered: gives up waiting for it. */
  #release: (() => void) | undefined;

  constructor(child: HostProcess, mark: string, onEnd: () => void) {
    this.#child = child;
    child.stdin.on("error", () => undefined); // EPIPE: its output ends too, and that is handled
    child.on("error", () => undefined);
    this.ended = this.#serve(mark).finally(onEnd);
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async call(request: ToolCallRequest): Promise<ToolHostResult> {
    const id = String((this.#lastId += 1));
    const { tool, input, marker, notAfter, signal } = request;
    const not_after = String(notAfter);
    const line = encode({ kind: "call", id, tool, input, not_after, marker });
    if (line.length > MAX_RUNNER_LINE) return refusal("too_large", "The tool's input is too large");
    const call: Call = { request, settled: Promise.withResolvers(), lastFrame: performance.now() };
    this.#calls.set(id, call);
    this.#child.stdin.write(line);

    const abort = () => this.#abort(id, call);
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await call.settled.promise;
    } finally {
      clearTimeout(call.timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Ends the host with everything it started. Calls in flight are answered host_died. */
  async close(): Promise<void> {
    this.#open = false;
    this.#release?.();
    this.#child.stdin.end();
    if (!(await settlesWithin(this.ended, CLOSE_MS))) this.#child.kill("SIGKILL");
    await this.ended;
  }

  async #serve(mark: string): Promise<void> {
    const exited = Promise.withResolvers<void>();
    this.#child.once("exit", () => exited.resolve());
    const split = createLineSplitter(MAX_HOST_LINE);
    try {
      for await (const chunk of this.#child.stdout as AsyncIterable<Buffer>) {
        for (const line of split(chunk)) await this.#take(parseHostLine(line.text));
      }
    } catch {
      // A broken pipe is the end like any other.
    }
    this.#open = false;
    this.#child.kill("SIGKILL");
    await exited.promise;
    // Before anyone is told: the caller may go on only when nothing of this host is left (X4).
    await killMarked({ name: HOST_MARK, value: mark }).catch(() => 0);
    for (const { settled, failure } of this.#calls.values()) {
      if (failure) settled.reject(failure.error);
      else settled.resolve(refusal("host_died", "The tool host died during the call"));
    }
    this.#calls.clear();
  }

  async #take(frame: HostFrame | undefined): Promise<void> {
    const call = frame && this.#calls.get(frame.id);
    if (!frame || !call) return;
    call.lastFrame = performance.now();
    if (frame.kind === "output") await this.#deliver(frame, call);
    else this.#settle(frame, call);
    call.lastFrame = performance.now();
  }

  async #deliver(frame: OutputFrame, call: Call): Promise<void> {
    if (call.failure || !call.request.onOutput || !this.#open) return;
    const output = { stream: frame.stream, data: Buffer.from(frame.data, "base64") };
    const released = Promise.withResolvers<void>();
    this.#release = released.resolve;
    try {
      await Promise.race([call.request.onOutput(output), released.promise]);
    } catch (error) {
      call.failure = { error };
      this.#abort(frame.id, call);
    } finally {
      this.#release = undefined;
    }
  }

  #settle(frame: DoneFrame, call: Call): void {
    this.#calls.delete(frame.id);
    if (call.failure) call.settled.reject(call.failure.error);
    else if (frame.ok) call.settled.resolve({ ok: true, result: frame.result });
    else call.settled.resolve({ ok: false, error: frame.error });
  }

  #abort(id: string, call: Call): void {
    clearTimeout(call.timer);
    call.lastFrame = performance.now();
    this.#child.stdin.write(encode({ kind: "abort", id }));
    this.#insist(call);
  }

  /** A host that does not confirm an abort is killed, but not while it waits for us to take output. */
  #insist(call: Call): void {
    const silence = this.#release ? 0 : performance.now() - call.lastFrame;
    if (silence >= ABORT_MS) this.#child.kill("SIGKILL");
    else call.timer = setTimeout(() => this.#insist(call), ABORT_MS - silence);
  }
}

function refusal(code: string, message: string): ToolHostResult {
  return { ok: false, error: { code, message } };
}

function encode(frame: RunnerFrame): string {
  return `${JSON.stringify(frame)}\n`;
}
