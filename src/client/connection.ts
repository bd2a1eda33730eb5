// Keeps one event stream open: connects, reads, notices silence, comes back. It holds no cursor: the
// one who folds the frames says where to go on, so cursor and fold cannot disagree.
import { createParser } from "eventsource-parser";
import { toApiFailure, type ApiFailure } from "./api-failure.ts";
import { delayOf, pause, type Backoff } from "./backoff.ts";

export type ConnectionState = "connecting" | "live" | "reconnecting" | "offline" | "denied";
export type ConnectionStatus = {
  readonly state: ConnectionState;
  readonly failure: ApiFailure | null;
  readonly lastFrameAt: number | null; // ms; how old what is shown may be
};
export type Frame = { readonly event: string | undefined; readonly data: string };
export type Timing = Backoff & { readonly silenceMs: number; readonly staleMs: number };

export type ConnectionOptions = {
  readonly open: (signal: AbortSignal) => Promise<Response>;
  /** All frames of one chunk. Throwing means the stream is broken: it is opened anew. */
  readonly onFrames: (frames: readonly Frame[]) => void;
  /** True when the failure was dealt with and the next attempt may follow at once. */
  readonly onFailure: (failure: ApiFailure) => boolean;
  readonly onStatus: (status: ConnectionStatus) => void;
  readonly isOver: () => boolean; // nothing will come any more: do not connect again
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly timing?: Partial<Timing>;
};
export type Connection = {
  /** A hint that the network or the person is back. Harmless at any time. */
  retryNow(): void;
  /** Settles when the connection has ended for good; never rejects. */
  readonly closed: Promise<void>;
};

const TIMING: Timing = { minMs: 250, maxMs: 5_000, silenceMs: 45_000, staleMs: 15_000 };
const FAILURES_UNTIL_OFFLINE = 3;

export function startConnection(options: ConnectionOptions): Connection {
  return new StreamConnection(options);
}

class StreamConnection implements Connection {
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions;
  readonly #timing: Timing;
  #attempt = new AbortController(); // aborted to end a stream that went silent
  #rest = new AbortController(); // aborted to end a wait
  #failures = 0;
  #activeAt = 0;
  #status: ConnectionStatus = { state: "connecting", failure: null, lastFrameAt: null };

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.closed = this.#run();
  }

  async #run(): Promise<void> {
    const { signal, isOver } = this.#options;
    while (!signal.aborted && !isOver()) {
      const failure = await this.#connectOnce();
      if (signal.aborted || isOver()) return;
      if (failure && this.#options.onFailure(failure)) {
        this.#failures += 1; // a server that refuses every cursor must not be asked in a tight loop
        if (this.#failures < FAILURES_UNTIL_OFFLINE) continue;
      }
      await this.#waitAfter(failure);
    }
  }

  retryNow(): void {
    this.#failures = 0;
    this.#rest.abort();
    if (Date.now() - this.#activeAt > this.#timing.staleMs) this.#attempt.abort();
  }

  /** The failure that ended the attempt; undefined when a working stream just ended. */
  async #connectOnce(): Promise<ApiFailure | undefined> {
    this.#attempt = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, this.#attempt.signal]);
    const watchdog = new Watchdog(this.#timing.silenceMs, this.#attempt);
    this.#activeAt = Date.now();
    try {
      const response = await this.#options.open(signal);
      await this.#read(response, watchdog);
      return undefined;
    } catch (error) {
      return toApiFailure(error);
    } finally {
      watchdog.stop();
    }
  }

  async #read({ body }: Response, watchdog: Watchdog): Promise<void> {
    if (!body) return;
    let frames: Frame[] = [];
    const parser = createParser({ onEvent: ({ event, data }) => frames.push({ event, data }) });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        watchdog.feed();
        parser.feed(decoder.decode(value, { stream: true }));
        if (frames.length === 0) continue;
        this.#markLive();
        this.#options.onFrames(frames);
        frames = [];
      }
    } finally {
      await reader.cancel().catch(() => {}); // it may have failed already; then there is nothing to free
    }
  }

  #markLive(): void {
    this.#failures = 0;
    this.#activeAt = Date.now();
    this.#publish({ state: "live", failure: null, lastFrameAt: this.#activeAt });
  }

  async #waitAfter(failure: ApiFailure | undefined): Promise<void> {
    const { random, signal } = this.#options;
    const denied = failure !== undefined && !failure.retryable && failure.code !== "cursor_invalid";
    this.#failures += 1;
    const offline = this.#failures >= FAILURES_UNTIL_OFFLINE;
    const state = denied ? "denied" : offline ? "offline" : "reconnecting";
    this.#publish({ ...this.#status, state, failure: failure ?? null });
    this.#rest = new AbortController();
    const delay = denied ? null : delayOf(this.#timing, this.#failures, random);
    await pause(delay, AbortSignal.any([signal, this.#rest.signal]));
  }

  #publish(status: ConnectionStatus): void {
    this.#status = status;
    this.#options.onStatus(status);
  }
}

/** Half-open connections look alive for ever; silence is the only sign. */
class Watchdog {
  readonly #ms: number;
  readonly #target: AbortController;
  #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number, target: AbortController) {
    this.#ms = ms;
    this.#target = target;
    this.#timer = setTimeout(() => target.abort(), ms);
  }

  feed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#target.abort(), this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
