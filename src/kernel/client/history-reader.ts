// Loads the history of the sessions that a feed follows over HTTP (history.ts). First comes what is needed to draw;
// until that has arrived or failed, the session is not watched. The events behind a stored fold are loaded later,
// when the page is idle.
import type { RunEvent } from "../events/events.ts";
import type { FoldedSnapshot } from "../state/folded.ts";
import type { FeedLine } from "./feed-socket.ts";
import type { Follower } from "./follow.ts";
import type { Schedule } from "./listeners.ts";
import type { ReadHistory } from "./history.ts";

export type HistoryFollower = {
  readonly sessionId: string;
  readonly follower: Follower;
  reading: Reading | null;
  unread: number; // in a row: what its fold was made of could not be read, from a server that was there
  tries: number; // in a row, whoever was to blame: a server that is away is not asked in a tight loop
};
type Reading = { readonly stop: AbortController; caughtUp: boolean };

export type HistoryHost<Followed extends HistoryFollower> = {
  readonly read: ReadHistory;
  readonly whenIdle: Schedule;
  /** After a while that grows with how often it failed. */
  readonly later: (times: number, work: () => void) => void;
  readonly answerMs?: number;
  /** Whether it is still followed, and somebody looks at it. */
  readonly mayRead: (followed: Followed) => boolean;
  readonly isLive: () => boolean;
  readonly watch: (followed: Followed) => void;
  /** Whether it is the history that is followed. */
  readonly isOf: (epoch: string) => boolean;
};

const ANSWER_MS = 4_000; // of silence, and the past is asked of the feed instead
const MAX_UNREAD = 4;

export class HistoryReader<Followed extends HistoryFollower> {
  readonly #host: HistoryHost<Followed>;

  constructor(host: HistoryHost<Followed>) {
    this.#host = host;
  }

  begin(followed: Followed): void {
    void this.#read(followed);
  }

  /** Reads what a fold was made of that came ahead. */
  complete(followed: Followed): void {
    const { follower, reading } = followed;
    const to = follower.missing();
    if (this.#host.mayRead(followed) && to > 0 && !reading) void this.#read(followed, to);
  }

  /** What went wrong with it is told by the feed, which goes on from the cursor that was reached. */
  async #read(followed: Followed, to?: number): Promise<void> {
    const { read, whenIdle, answerMs = ANSWER_MS, watch } = this.#host;
    const stop = new AbortController();
    const reading: Reading = { stop, caughtUp: to !== undefined };
    followed.reading = reading;
    let silence = setTimeout(() => stop.abort(), answerMs);
    stop.signal.addEventListener("abort", () => clearTimeout(silence));
    try {
      for await (const lines of read(followed.sessionId, stop.signal, to)) {
        if (followed.reading !== reading) return;
        clearTimeout(silence);
        silence = setTimeout(() => stop.abort(), answerMs);
        this.#take(followed, reading, lines);
        if (to !== undefined) await new Promise<void>(whenIdle); // nobody waits for it
      }
    } catch {
      // nothing is lost: the cursor says what is here
    } finally {
      stop.abort();
      if (followed.reading === reading) {
        followed.reading = null;
        if (!reading.caughtUp) watch(followed);
        if (to === undefined) whenIdle(() => this.complete(followed));
        else this.#completeLater(followed);
      }
    }
  }

  /** What cannot be read time and again is asked of the feed, which says why. What is shown stays. */
  #completeLater(followed: Followed): void {
    const { isLive, later, watch } = this.#host;
    if (followed.follower.missing() === 0) return;
    followed.tries += 1;
    if (isLive()) followed.unread += 1;
    if (followed.unread < MAX_UNREAD) {
      return later(followed.tries, () => this.complete(followed));
    }
    followed.unread = 0;
    followed.tries = 0;
    followed.follower.renew();
    watch(followed);
  }

  /** Throws when it does not fit: a gap, or another history than the one that is followed. */
  #take(followed: Followed, reading: Reading, lines: readonly FeedLine[]): void {
    const { isOf, watch } = this.#host;
    const { follower } = followed;
    const events: RunEvent[] = [];
    let whole = false;
    for (const line of lines) {
      if (!("feed" in line)) events.push(line);
      else if (line.feed === "fold") follower.begin(line.folded as unknown as FoldedSnapshot);
      else if (line.feed === "caught_up") whole = true;
      else if (line.feed === "heartbeat" && !isOf(line.epoch)) {
        throw new Error("The past is of another epoch");
      }
    }
    if (events.length > 0) follower.apply(events);
    if (!whole || reading.caughtUp) return;
    reading.caughtUp = true;
    follower.caughtUp();
    watch(followed); // what is still to be read is older than what happens
  }
}

export function stopReading(followed: HistoryFollower): void {
  followed.reading?.stop.abort();
  followed.reading = null;
}
