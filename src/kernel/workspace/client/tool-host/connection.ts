// One tool host process and the calls made of it. What it answered before its end counts; the other calls are answered
// host_died once nothing of the host is left (X4).
import type { HostPipe, HostPipeExit } from "../host-pipe.ts";
import { PipeEnd } from "../host-pipe.ts";
import type {
  HostEvents,
  OpenRequest,
  Refusal,
  ToolCallRequest,
  ToolHostResult,
} from "./client.ts";
import { serveHost } from "../host-process.ts";
import {
  MAX_RUNNER_LINE,
  type DoneFrame,
  type LogFrame,
  type ProcessFrame,
  type RunnerFrame,
} from "../../host/frames.ts";
import { createHostReader, type HostMessage, type OutputPart } from "../../host/host-reader.ts";
import { settlesWithin } from "../../processes/settles-within.ts";
import type { HostProcess } from "../../host/spawn-host.ts";

const ABORT_MS = 3_000;
const CLOSE_MS = 2_000;
const OPEN_MS = 10_000n;

type Call = {
  readonly request: ToolCallRequest;
  readonly settled: PromiseWithResolvers<ToolHostResult>;
  lastFrame: number;
  timer?: NodeJS.Timeout;
  failure?: { readonly error: unknown };
};

type ConnectionOptions = {
  readonly child: HostProcess;
  readonly mark: string;
  readonly onEnd: () => void;
  readonly news: HostEvents;
};

export class Connection {
  readonly ended: Promise<void>;
  readonly #child: HostProcess;
  readonly #calls = new Map<string, Call>();
  readonly #pipes = new Map<string, PipeEnd>();
  readonly #news: HostEvents;
  #lastId = 0;
  #open = true;
  #ready = false;
  /** Set while output is being delivered: gives up waiting for it. */
  #release: (() => void) | undefined;

  constructor({ child, mark, onEnd, news }: ConnectionOptions) {
    this.#child = child;
    this.#news = news;
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

  async open(request: OpenRequest): Promise<HostPipe> {
    const { marker, signal = new AbortController().signal, ...rest } = request;
    const { notAfter = process.hrtime.bigint() + OPEN_MS * 1_000_000n, ...input } = rest;
    const id = `pipe_${(this.#lastId += 1)}`;
    const pipe = new PipeEnd({
      send: (data) => this.#send({ kind: "input", id, data: data.toString("base64"), end: false }),
      kill: async () => {
        await this.call({
          tool: "process",
          input: { action: "close", process_id: id },
          marker,
          notAfter: process.hrtime.bigint() + OPEN_MS * 1_000_000n,
          signal: new AbortController().signal,
        });
      },
    });
    this.#pipes.set(id, pipe);
    const fields = { ...input, pipe_id: id };
    const answer = await this.call({ tool: "open", input: fields, marker, notAfter, signal });
    if (answer.ok) return pipe;
    this.#pipes.delete(id);
    throw new PipeRefused(answer.error.code, answer.error.message);
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
    const read = createHostReader();
    await serveHost({
      child: this.#child,
      mark,
      graceMs: 0,
      take: async (chunk) => {
        for (const message of read(chunk)) await this.#take(message);
      },
      closed: () => (this.#open = false),
    });
    for (const pipe of this.#pipes.values()) pipe.ended(LOST);
    this.#pipes.clear();
    for (const { settled, failure } of this.#calls.values()) {
      if (failure) settled.reject(failure.error);
      else if (this.#ready)
        settled.resolve(refusal("host_died", "The tool host died during the call"));
      else
        settled.resolve(refusal("spawn_failed", "The tool host did not start; its log says why"));
    }
    this.#calls.clear();
  }

  async #take(frame: HostMessage): Promise<void> {
    this.#ready = true;
    const call = this.#calls.get(frame.id);
    if (frame.kind === "process") return this.#processEnded(frame);
    if (frame.kind === "log") return this.#processPrinted(frame);
    const pipe = frame.kind === "output" && this.#pipes.get(frame.id);
    if (pipe) return pipe.take(frame.data);
    if (!call || frame.kind === "ready") return;
    call.lastFrame = performance.now();
    if (frame.kind === "output") await this.#deliver(frame, call);
    else this.#settle(frame, call);
    call.lastFrame = performance.now();
  }

  async #deliver(frame: OutputPart, call: Call): Promise<void> {
    if (call.failure || !call.request.onOutput || !this.#open) return;
    const output = { stream: frame.stream, data: frame.data };
    try {
      await this.#wait(call.request.onOutput(output));
    } catch (error) {
      call.failure = { error };
      this.#abort(frame.id, call);
    }
  }

  /** Whoever takes it decides when the host is read on; closing does not wait for them. */
  async #wait(taken: void | Promise<void>): Promise<void> {
    const released = Promise.withResolvers<void>();
    this.#release = released.resolve;
    try {
      await Promise.race([taken, released.promise]);
    } finally {
      this.#release = undefined;
    }
  }

  #processEnded({ id, marker, exit }: ProcessFrame): void {
    const pipe = this.#pipes.get(id);
    this.#pipes.delete(id);
    if (pipe) pipe.ended({ ...exit, lost: false });
    else this.#news.onProcessExit?.({ processId: id, marker, ...exit });
  }

  async #processPrinted({ id, marker, offset, total, data }: LogFrame): Promise<void> {
    if (!this.#open) return;
    const output = { processId: id, marker, offset, total, data: Buffer.from(data, "base64") };
    await this.#wait(this.#news.onProcessOutput?.(output));
  }

  #settle(frame: DoneFrame, call: Call): void {
    this.#calls.delete(frame.id);
    if (call.failure) call.settled.reject(call.failure.error);
    else if (frame.ok) call.settled.resolve({ ok: true, result: frame.result });
    else call.settled.resolve({ ok: false, error: frame.error });
  }

  #send(frame: RunnerFrame): void {
    this.#child.stdin.write(encode(frame));
  }

  #abort(id: string, call: Call): void {
    clearTimeout(call.timer);
    call.lastFrame = performance.now();
    this.#send({ kind: "abort", id });
    this.#insist(call);
  }

  /** A host that does not confirm an abort is killed, but not while it waits for us to take output. */
  #insist(call: Call): void {
    const silence = this.#release ? 0 : performance.now() - call.lastFrame;
    if (silence >= ABORT_MS) this.#child.kill("SIGKILL");
    else call.timer = setTimeout(() => this.#insist(call), ABORT_MS - silence);
  }
}

const LOST: HostPipeExit = { exit_code: null, signal: null, stderr: "", lost: true };

/** The program could not be started; `code` as for a tool call. */
export class PipeRefused extends Error {
  override name = "PipeRefused";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function refusal(code: string, message: string): Refusal {
  return { ok: false, error: { code, message } };
}

function encode(frame: RunnerFrame): string {
  return `${JSON.stringify(frame)}\n`;
}
