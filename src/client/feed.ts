// One connection for everything a tab follows: any number of sessions, and the list of all of them. Each
// session has its own cursor, its own refusals and its own repairs; none of them disturbs another.
import type { FeedBoard, FeedFrame } from "../protocol/api-records-feed.ts";
import type { RunEvent } from "../protocol/events.ts";
import type { FoldedSnapshot } from "../protocol/folded.ts";
import { ApiFailure } from "./api-failure.ts";
import { delayOf } from "./backoff.ts";
import {
  CONNECTING,
  startConnection,
  type Connection,
  type ConnectionStatus,
  type Timing,
} from "./connection.ts";
import { epochIn } from "./event-feed.ts";
import type { FeedLine, FeedSocket, OpenFeedSocket } from "./feed-socket.ts";
import type { Follow, Follower } from "./follow.ts";
import { atOnce, createListeners, type Schedule } from "./listeners.ts";
import type { ReadPast } from "./past.ts";

export type Feed = {
  readonly follow: Follow;
  readonly getStatus: () => ConnectionStatus;
  readonly subscribe: (listener: () => void) => () => void;
  /** A hint that the network or the person is back. Harmless at any time. */
  readonly retryNow: () => void;
  /** A hint that the network may have gone: the server has to answer. */
  readonly check: () => void;
  readonly close: () => void;
  readonly closed: Promise<void>;
};
export type FeedOptions = {
  readonly open: OpenFeedSocket;
  /** A faster way to what happened before a session was followed. Left out: the feed tells it. */
  readonly past?: ReadPast;
  readonly onBoard?: (board: FeedBoard) => void;
  /** When to compare what is here with what the server has: it takes a while, and nobody waits for it. */
  readonly whenIdle?: Schedule;
  readonly random?: () => number;
  readonly timing?: Partial<Timing>;
};

export function openFeed(options: FeedOptions): Feed {
  return new SharedFeed(options);
}

type Followed = {
  readonly sessionId: string;
  readonly follower: Follower;
  /** Of the newest watch. Until it is confirmed, what comes belongs to an older one. */
  mark: number;
  confirmed: boolean;
  everConfirmed: boolean;
  resting: boolean;
  reading: Reading | null;
  refused: ApiFailure | null;
  failures: number; // in a row: events that did not fit, cursors that were refused
  retry: ReturnType<typeof setTimeout> | undefined;
};

/** Its past, by other means. Until all of it that was there is here it is not watched; what a fold was made of comes later. */
type Reading = { readonly stop: AbortController; caughtUp: boolean };

const BACKOFF = { minMs: 250, maxMs: 5_000 };
const ANSWER_MS = 4_000; // of silence, and the past is asked of the feed instead

class SharedFeed implements Feed {
  readonly closed: Promise<void>;
  readonly #options: FeedOptions;
  readonly #connection: Connection;
  readonly #stop = new AbortController();
  readonly #listeners = createListeners(atOnce);
  readonly #followed = new Map<string, Followed>();
  #socket: FeedSocket | null = null;
  #status = CONNECTING;
  #marks = 0;
  #epoch: string | null = null; // of the journal now: position 0 of it needs none

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#connection = startConnection<FeedLine>({
      open: (signal) => this.#open(signal),
      onFrames: (lines) => this.#take(lines),
      onFailure: () => false,
      onStatus: (status) => this.#onStatus(status),
      isOver: () => false,
      ask: () => this.#socket?.send({ type: "ping" }),
      random: options.random ?? Math.random,
      signal: this.#stop.signal,
      ...(options.timing && { timing: options.timing }),
    });
    this.closed = this.#connection.closed;
  }

  readonly getStatus = () => this.#status;
  readonly subscribe = (listener: () => void) => this.#listeners.subscribe(listener);

  readonly retryNow = () => {
    this.#connection.retryNow();
    for (const followed of this.#followed.values()) if (followed.refused) this.#watch(followed);
  };

  readonly check = () => this.#connection.check();

  readonly close = () => {
    this.#stop.abort();
    for (const followed of this.#followed.values()) {
      clearTimeout(followed.retry);
      stopReading(followed);
    }
  };

  readonly follow: Follow = (sessionId, follower) => {
    if (this.#followed.has(sessionId)) throw new Error(`${sessionId} is followed already`);
    const followed = newFollowed(sessionId, follower);
    const end = Promise.withResolvers<void>();
    this.#followed.set(sessionId, followed);
    if (this.#options.past) void this.#readPast(followed);
    else this.#watch(followed);
    this.#tell(followed);
    return {
      retryNow: this.retryNow,
      rest: () => {
        followed.resting = true;
        this.#unwatch(followed);
      },
      wake: () => {
        if (!followed.resting) return;
        followed.resting = false;
        this.#watch(followed);
        this.#complete(followed);
      },
      close: () => {
        if (this.#followed.get(sessionId) !== followed) return;
        this.#followed.delete(sessionId);
        this.#unwatch(followed);
        end.resolve();
      },
      closed: Promise.race([end.promise, this.closed]),
    };
  };

  async #open(signal: AbortSignal): Promise<FeedSocket> {
    this.#socket = null;
    const socket = await this.#options.open(signal);
    this.#socket = socket;
    // The newest first: it is the one that is looked at.
    for (const followed of [...this.#followed.values()].toReversed()) this.#watch(followed);
    return socket;
  }

  #onStatus(status: ConnectionStatus): void {
    if (status.state !== "live") {
      this.#socket = null;
      for (const followed of this.#followed.values()) followed.confirmed = false;
    }
    this.#status = status;
    for (const followed of this.#followed.values()) this.#tell(followed);
    this.#listeners.notify();
  }

  /** A session is live when its own events come, not when some do. */
  #tell(followed: Followed): void {
    const { refused, confirmed, everConfirmed, follower } = followed;
    const { state, lastFrameAt } = this.#status;
    const waiting = state === "live" && !confirmed;
    if (refused) follower.onStatus({ state: "denied", failure: refused, lastFrameAt });
    else if (!waiting) follower.onStatus(this.#status);
    else if (!followed.resting) {
      const until = everConfirmed ? "reconnecting" : "connecting";
      follower.onStatus({ state: until, failure: null, lastFrameAt });
    }
  }

  /** What went wrong with it is told by the feed, which goes on from the cursor that was reached. */
  async #readPast(followed: Followed, to?: number): Promise<void> {
    const { past, timing, whenIdle = atOnce } = this.#options;
    if (!past) return;
    const stop = new AbortController();
    const reading: Reading = { stop, caughtUp: to !== undefined };
    followed.reading = reading;
    const { answerMs = ANSWER_MS } = timing ?? {};
    let silence = setTimeout(() => stop.abort(), answerMs);
    stop.signal.addEventListener("abort", () => clearTimeout(silence));
    try {
      for await (const lines of past(followed.sessionId, stop.signal, to)) {
        if (followed.reading !== reading) return;
        clearTimeout(silence);
        silence = setTimeout(() => stop.abort(), answerMs);
        this.#takePast(followed, reading, lines);
        if (to !== undefined) await new Promise<void>(whenIdle); // nobody waits for it
      }
    } catch {
      // nothing is lost: the cursor says what is here
    } finally {
      stop.abort();
      if (followed.reading === reading) {
        followed.reading = null;
        if (!reading.caughtUp) this.#watch(followed);
        if (to === undefined) whenIdle(() => this.#complete(followed));
        else this.#later(followed, () => this.#complete(followed));
      }
    }
  }

  /** Reads what a fold was made of that came ahead, beside what happens. */
  #complete(followed: Followed): void {
    const { sessionId, follower, reading, resting } = followed;
    if (this.#followed.get(sessionId) !== followed || this.#stop.signal.aborted) return;
    const to = follower.missing();
    if (to > 0 && !reading && !resting) void this.#readPast(followed, to);
  }

  /** Throws when it does not fit: a gap, or another history than the one that is followed. */
  #takePast(followed: Followed, reading: Reading, lines: readonly FeedLine[]): void {
    const { follower } = followed;
    const events: RunEvent[] = [];
    let whole = false;
    for (const line of lines) {
      if (!("feed" in line)) events.push(line);
      else if (line.feed === "fold") follower.begin(line.folded as unknown as FoldedSnapshot);
      else if (line.feed === "caught_up") whole = true;
      else if (line.feed === "heartbeat") this.#learnEpoch(line.epoch);
    }
    if (events.length > 0) follower.apply(events);
    if (!whole || reading.caughtUp) return;
    reading.caughtUp = true;
    follower.caughtUp();
    this.#watch(followed); // what is still to be read is older than what happens
  }

  #learnEpoch(epoch: string): void {
    this.#epoch ??= epoch;
    if (this.#epoch !== epoch) throw new Error("The past is of another epoch");
  }

  /** Asks for everything after the follower's cursor, anew if it was asked before. */
  #watch(followed: Followed): void {
    clearTimeout(followed.retry);
    followed.refused = null;
    followed.confirmed = false;
    this.#marks += 1;
    followed.mark = this.#marks;
    if (followed.resting || followed.reading?.caughtUp === false) return;
    const { sessionId, mark, follower } = followed;
    const after = follower.cursor();
    const epoch = after > 0 && this.#epoch !== null ? { epoch: this.#epoch } : {};
    this.#socket?.send({ type: "watch", session_id: sessionId, after, mark, ...epoch });
  }

  #unwatch(followed: Followed): void {
    clearTimeout(followed.retry);
    stopReading(followed);
    followed.confirmed = false;
    this.#marks += 1;
    followed.mark = this.#marks; // whatever is still on its way is for nobody
    this.#socket?.send({ type: "unwatch", session_id: followed.sessionId });
  }

  /** At once the first time; what goes wrong again and again must not be asked for in a tight loop. */
  #watchAgain(followed: Followed): void {
    followed.failures += 1;
    if (followed.failures === 1) return this.#watch(followed);
    followed.confirmed = false;
    clearTimeout(followed.retry);
    followed.retry = this.#later(followed, () => this.#watch(followed));
    this.#tell(followed);
  }

  #later({ failures }: Followed, work: () => void): ReturnType<typeof setTimeout> {
    const { random = Math.random, timing } = this.#options;
    return setTimeout(work, delayOf({ ...BACKOFF, ...timing }, Math.max(1, failures), random));
  }

  #take(lines: readonly FeedLine[]): void {
    let events: RunEvent[] = [];
    for (const line of lines) {
      const next = "feed" in line ? undefined : line.session_id;
      if (events.length > 0 && events[0]?.session_id !== next) {
        this.#apply(events);
        events = [];
      }
      if (!("feed" in line)) events.push(line);
      else (this.#frames[line.feed] as ((frame: FeedFrame) => void) | undefined)?.(line);
    }
    if (events.length > 0) this.#apply(events);
  }

  #apply(events: readonly RunEvent[]): void {
    const followed = this.#followed.get(events[0]?.session_id ?? "");
    if (!followed?.confirmed) return;
    try {
      followed.follower.apply(events);
    } catch {
      this.#watchAgain(followed); // a gap, or an event that contradicts the others
    }
  }

  /** Frames of a kind nobody here knows are of a newer server, and left alone. */
  readonly #frames: { [Kind in FeedFrame["feed"]]: (frame: Of<Kind>) => void } = {
    heartbeat: ({ epoch }) => {
      const before = this.#epoch;
      this.#epoch = epoch;
      if (before === null || before === epoch) return;
      for (const followed of this.#followed.values()) this.#startOver(followed);
    },
    watching: ({ session_id, mark }) => {
      const followed = this.#followed.get(session_id);
      if (followed?.mark !== mark) return;
      followed.confirmed = true;
      followed.everConfirmed = true;
      this.#tell(followed);
    },
    caught_up: ({ session_id }) => {
      const followed = this.#followed.get(session_id);
      if (!followed?.confirmed) return;
      followed.failures = 0;
      followed.follower.caughtUp();
    },
    state: (state) => {
      const followed = this.#followed.get(state.session_id);
      if (!followed?.confirmed) return;
      const { mark } = followed;
      const { whenIdle = atOnce } = this.#options;
      whenIdle(() => {
        const same = followed.confirmed && followed.mark === mark;
        if (!same || agrees(followed, state)) return;
        stopReading(followed); // all of it comes anew
        this.#watch(followed);
      });
    },
    refused: ({ session_id, mark, ...problem }) => {
      const followed = this.#followed.get(session_id ?? "");
      if (!followed || followed.mark !== mark) return;
      if (problem.code === "cursor_invalid") {
        this.#epoch = epochIn(problem) ?? this.#epoch;
        stopReading(followed);
        followed.follower.reset();
        return this.#watchAgain(followed);
      }
      followed.refused = new ApiFailure(problem);
      this.#tell(followed);
    },
    fold: () => undefined, // of a past, which is read elsewhere
    board: (board) => this.#options.onBoard?.(board),
  };

  #startOver(followed: Followed): void {
    stopReading(followed);
    followed.follower.reset();
    this.#watch(followed);
  }
}

type Of<Kind extends FeedFrame["feed"]> = Extract<FeedFrame, { feed: Kind }>;

function stopReading(followed: Followed): void {
  followed.reading?.stop.abort();
  followed.reading = null;
}

/** It is only a check: one that fails must not take the connection of all the others along. */
function agrees({ follower }: Followed, state: Of<"state">): boolean {
  try {
    return follower.agrees(state);
  } catch {
    return true;
  }
}

function newFollowed(sessionId: string, follower: Follower): Followed {
  const state = { mark: 0, confirmed: false, everConfirmed: false, resting: false, failures: 0 };
  return { sessionId, follower, ...state, reading: null, refused: null, retry: undefined };
}
