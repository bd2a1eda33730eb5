// One connection for everything a tab follows: any number of sessions, and the list of all of them. Each
// session has its own cursor, its own refusals and its own repairs; none of them disturbs another.
import type { FeedBoard, FeedFrame } from "../api/records/feed.ts";
import type { RunEvent } from "../events/events.ts";
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
import { immediately, createListeners, type Schedule } from "./listeners.ts";
import { HistoryReader, stopReading, type HistoryFollower } from "./history-reader.ts";
import type { ReadHistory } from "./history.ts";
import {
  NEW_WATCH,
  nextWatch,
  type WatchEffect,
  type WatchEvent,
  type WatchState,
} from "./watch-state.ts";

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
  readonly past?: ReadHistory;
  readonly onSessionList?: (board: FeedBoard) => void;
  /** When to compare what is here with what the server has: it takes a while, and nobody waits for it. */
  readonly whenIdle?: Schedule;
  readonly random?: () => number;
  readonly timing?: Partial<Timing>;
};

export function openFeed(options: FeedOptions): Feed {
  return new SharedFeed(options);
}

type Followed = HistoryFollower & {
  watch: WatchState;
  mark: number; // of the newest watch
  failures: number; // in a row: events that did not fit, cursors that were refused
  retry: ReturnType<typeof setTimeout> | undefined;
};

const ASK = { type: "ask" } as const;
const BACKOFF = { minMs: 250, maxMs: 5_000 };

class SharedFeed implements Feed {
  readonly closed: Promise<void>;
  readonly #options: FeedOptions;
  readonly #connection: Connection;
  readonly #stop = new AbortController();
  readonly #listeners = createListeners(immediately);
  readonly #followed = new Map<string, Followed>();
  readonly #past: HistoryReader<Followed> | null;
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
      ask: () => this.#socket?.send({ type: "ping" }),
      random: options.random ?? Math.random,
      signal: this.#stop.signal,
      ...(options.timing && { timing: options.timing }),
    });
    this.closed = this.#connection.closed;
    this.#past = options.past
      ? new HistoryReader({
          read: options.past,
          whenIdle: options.whenIdle ?? immediately,
          later: (times, work) => this.#later(times, work),
          ...(options.timing?.answerMs !== undefined && { answerMs: options.timing.answerMs }),
          mayRead: (followed) =>
            this.#followed.get(followed.sessionId) === followed &&
            followed.watch.name !== "resting" &&
            !this.#stop.signal.aborted,
          isLive: () => this.#status.state === "live",
          watch: (followed) => this.#step(followed, ASK),
          isOf: (epoch) => (this.#epoch ??= epoch) === epoch,
        })
      : null;
  }

  readonly getStatus = () => this.#status;
  readonly subscribe = (listener: () => void) => this.#listeners.subscribe(listener);

  readonly retryNow = () => {
    this.#connection.retryNow();
    for (const followed of this.#followed.values()) {
      if (followed.watch.failure) this.#step(followed, ASK);
    }
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
    if (this.#past) this.#past.begin(followed);
    else this.#step(followed, ASK);
    this.#emit(followed);
    return {
      retryNow: this.retryNow,
      rest: () => this.#step(followed, { type: "rest" }),
      wake: () => {
        if (followed.watch.name !== "resting") return;
        this.#step(followed, { type: "wake" });
        this.#past?.complete(followed);
      },
      close: () => {
        if (this.#followed.get(sessionId) !== followed) return;
        this.#followed.delete(sessionId);
        this.#step(followed, { type: "close" });
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
    for (const followed of [...this.#followed.values()].toReversed()) this.#step(followed, ASK);
    return socket;
  }

  #onStatus(status: ConnectionStatus): void {
    if (status.state !== "live") {
      this.#socket = null;
      for (const followed of this.#followed.values()) this.#step(followed, { type: "lose" });
    }
    this.#status = status;
    for (const followed of this.#followed.values()) this.#emit(followed);
    this.#listeners.notify();
  }

  /** A session is live when its own events come, not when some do. */
  #emit(followed: Followed): void {
    const { watch, follower } = followed;
    const { state, lastFrameAt } = this.#status;
    const waiting = state === "live" && watch.name !== "following";
    if (watch.failure) follower.onStatus({ state: "denied", failure: watch.failure, lastFrameAt });
    else if (!waiting) follower.onStatus(this.#status);
    else if (watch.name !== "resting") {
      const until = watch.confirmedBefore ? "reconnecting" : "connecting";
      follower.onStatus({ state: until, failure: null, lastFrameAt });
    }
  }

  #step(followed: Followed, event: WatchEvent): void {
    const { state, effects } = nextWatch(followed.watch, event);
    followed.watch = state;
    for (const effect of effects) this.#effects[effect](followed);
  }

  readonly #effects: Record<WatchEffect, (followed: Followed) => void> = {
    ask: (followed) => {
      const { sessionId, follower } = followed;
      const mark = this.#newMark(followed);
      if (followed.reading?.caughtUp === false) return;
      const after = follower.cursor();
      const epoch = after > 0 && this.#epoch !== null ? { epoch: this.#epoch } : {};
      this.#socket?.send({ type: "watch", session_id: sessionId, after, mark, ...epoch });
    },
    unwatch: (followed) => {
      stopReading(followed);
      this.#newMark(followed);
      this.#socket?.send({ type: "unwatch", session_id: followed.sessionId });
    },
    retry_later: (followed) => {
      clearTimeout(followed.retry);
      followed.retry = this.#later(followed.failures, () => this.#step(followed, ASK));
    },
    emit: (followed) => this.#emit(followed),
  };

  #newMark(followed: Followed): number {
    clearTimeout(followed.retry);
    this.#marks += 1;
    followed.mark = this.#marks;
    return followed.mark;
  }

  /** At once the first time; what goes wrong again and again must not be asked for in a tight loop. */
  #watchAgain(followed: Followed): void {
    followed.failures += 1;
    this.#step(followed, followed.failures === 1 ? ASK : { type: "delay" });
  }

  #later(times: number, work: () => void): ReturnType<typeof setTimeout> {
    const { random = Math.random, timing } = this.#options;
    return setTimeout(work, delayOf({ ...BACKOFF, ...timing }, Math.max(1, times), random));
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
    if (followed?.watch.name !== "following") return;
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
      if (followed?.mark === mark) this.#step(followed, { type: "confirm" });
    },
    caught_up: ({ session_id }) => {
      const followed = this.#followed.get(session_id);
      if (followed?.watch.name !== "following") return;
      followed.failures = 0;
      followed.follower.caughtUp();
    },
    state: (state) => {
      const followed = this.#followed.get(state.session_id);
      if (followed?.watch.name !== "following") return;
      const { mark } = followed;
      const { whenIdle = immediately } = this.#options;
      whenIdle(() => {
        const same = followed.watch.name === "following" && followed.mark === mark;
        if (!same || agrees(followed, state)) return;
        stopReading(followed); // all of it comes anew
        this.#step(followed, ASK);
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
      this.#step(followed, { type: "refuse", failure: new ApiFailure(problem) });
    },
    fold: () => undefined, // of a past, which is read elsewhere
    board: (board) => this.#options.onSessionList?.(board),
  };

  #startOver(followed: Followed): void {
    stopReading(followed);
    followed.follower.reset();
    this.#step(followed, ASK);
  }
}

type Of<Kind extends FeedFrame["feed"]> = Extract<FeedFrame, { feed: Kind }>;

/** It is only a check: one that fails must not take the connection of all the others along. */
function agrees({ follower }: Followed, state: Of<"state">): boolean {
  try {
    return follower.agrees(state);
  } catch {
    return true;
  }
}

function newFollowed(sessionId: string, follower: Follower): Followed {
  const counts = { mark: 0, failures: 0, unread: 0, tries: 0 };
  return { sessionId, follower, watch: NEW_WATCH, ...counts, reading: null, retry: undefined };
}
