// Keeps one connection open: connects, reads, notices silence, reconnects. It holds no cursor: the fold of the frames
// says where to resume, so cursor and fold cannot disagree. The opener decides the transport (event stream or
// socket).
import { toApiFailure, type ApiFailure } from "./api-failure.ts";
import { delayOf, pause, type Backoff } from "./backoff.ts";

export type ConnectionState = "connecting" | "live" | "reconnecting" | "offline" | "denied";
export type ConnectionStatus = {
  readonly state: ConnectionState;
  readonly failure: ApiFailure | null;
  readonly lastFrameAt: number | null; // ms; how old what is shown may be
};
export type Timing = Backoff & {
  readonly silenceMs: number;
  readonly staleMs: number;
  readonly answerMs: number; // how long someone who was asked may take
};

export type ConnectionOptions<Frame> = {
  /** What arrives together comes together; nothing but bytes is an empty list. */
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<readonly Frame[]>>;
  /** Throwing means the connection is broken: it is opened anew. */
  readonly onFrames: (frames: readonly Frame[]) => void;
  /** True when the failure was dealt with and the next attempt may follow at once. */
  readonly onFailure: (failure: ApiFailure) => boolean;
  readonly onStatus: (status: ConnectionStatus) => void;
  /** Asks the other side to say something, where that can be done. */
  readonly ask?: () => void;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly timing?: Partial<Timing>;
};
export type Connection = {
  /** A hint that the network or the person is back. Harmless at any time. */
  retryNow(): void;
  /** A hint that the network may have gone: whoever is there has to answer. Nothing, where that cannot be asked. */
  check(): void;
  /** Settles when the connection has ended for good; never rejects. */
  readonly closed: Promise<void>;
};

const TIMING: Timing = {
  minMs: 250,
  maxMs: 5_000,
  silenceMs: 45_000,
  staleMs: 15_000,
  answerMs: 4_000,
};
const FAILURES_UNTIL_OFFLINE = 3;
const AGE_MS = 1_000; // how exactly the age of what is shown is told

export const CONNECTING: ConnectionStatus = {
  state: "connecting",
  failure: null,
  lastFrameAt: null,
};

export function startConnection<Frame>(options: ConnectionOptions<Frame>): Connection {
  return new KeptConnection(options);
}

class KeptConnection<Frame> implements Connection {
  readonly closed: Promise<void>;
  readonly #options: ConnectionOptions<Frame>;
  readonly #timing: Timing;
  #attempt = new AbortController(); // aborted to end a connection that went silent, and with all of it
  #rest = new AbortController(); // aborted to end a wait
  #watchdog: Watchdog | undefined;
  #failures = 0;
  #activeAt = 0;
  #frameAt: number | null = null;
  #status = CONNECTING;

  constructor(options: ConnectionOptions<Frame>) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    // Once for all attempts: one that hung on this signal itself would be held for as long as it lives.
    options.signal.addEventListener("abort", () => this.#attempt.abort(), { once: true });
    this.closed = this.#run();
  }

  async #run(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const failure = await this.#connectOnce();
      if (signal.aborted) return;
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
    if (Date.now() - this.#activeAt > this.#timing.staleMs) return this.#attempt.abort();
    this.check();
  }

  check(): void {
    if (this.#status.state !== "live" || !this.#options.ask) return;
    this.#options.ask();
    this.#watchdog?.hurry(this.#timing.answerMs); // after a sleep a socket looks alive and is not
  }

  /** The failure that ended the attempt; undefined when a working connection just ended. */
  async #connectOnce(): Promise<ApiFailure | undefined> {
    this.#attempt = new AbortController();
    const { signal } = this.#attempt;
    const watchdog = new Watchdog(this.#timing.silenceMs, this.#attempt);
    this.#watchdog = watchdog;
    this.#activeAt = Date.now();
    try {
      for await (const frames of await this.#options.open(signal)) {
        watchdog.feed();
        if (frames.length === 0) continue;
        this.#markLive();
        this.#options.onFrames(frames);
      }
      return undefined;
    } catch (error) {
      return toApiFailure(error);
    } finally {
      watchdog.stop();
    }
  }

  #markLive(): void {
    this.#failures = 0;
    this.#activeAt = Date.now();
    const known = this.#status.state === "live" ? this.#status.lastFrameAt : null;
    this.#frameAt = this.#activeAt;
    if (known !== null && this.#activeAt - known < AGE_MS) return; // nobody redraws for that
    this.#publish({ state: "live", failure: null, lastFrameAt: this.#frameAt });
  }

  async #waitAfter(failure: ApiFailure | undefined): Promise<void> {
    const { random, signal } = this.#options;
    const denied = failure !== undefined && !failure.retryable && failure.code !== "cursor_invalid";
    this.#failures += 1;
    const offline = this.#failures >= FAILURES_UNTIL_OFFLINE;
    const state = denied ? "denied" : offline ? "offline" : "reconnecting";
    this.#publish({ state, failure: failure ?? null, lastFrameAt: this.#frameAt });
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
  #silence: ReturnType<typeof setTimeout> | undefined;
  #answer: ReturnType<typeof setTimeout> | undefined; // only while somebody was asked and said nothing

  constructor(ms: number, target: AbortController) {
    this.#ms = ms;
    this.#target = target;
    this.feed();
  }

  feed(): void {
    this.stop();
    this.#silence = setTimeout(() => this.#target.abort(), this.#ms);
  }

  /** The first question counts: asking again must not give more time. */
  hurry(ms: number): void {
    this.#answer ??= setTimeout(() => this.#target.abort(), ms);
  }

  stop(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#answer);
    this.#answer = undefined;
  }
}
