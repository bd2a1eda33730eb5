// How a store receives the events of its session: on a stream of its own (event-feed.ts) or on a shared socket
// (feed.ts). The store does not know which.
import type { RunEvent } from "../events/events.ts";
import type { FoldedSnapshot } from "../state/folded.ts";
import type { ConnectionStatus } from "./connection.ts";

/** What the server made of the session after exactly so many events. */
export type ServerState = {
  readonly session_seq: number;
  readonly hash: string;
  readonly reducer: number;
  readonly hash_version: number;
};

export type Follower = {
  /** Everything up to it is here. */
  readonly cursor: () => number;
  /** Must skip what it has and throw on a gap: then the events are asked for again from the cursor. */
  readonly apply: (events: readonly RunEvent[]) => void;
  /** What the server made of the first events; they follow. Of no use where something is here already. */
  readonly begin: (snapshot: FoldedSnapshot) => void;
  /** Up to where the events are still to come; 0: all before the cursor are here. */
  readonly missing: () => number;
  /** All of it is told again, from the cursor as it is then; what is here stays until that is there. */
  readonly renew: () => void;
  /** What was folded belongs to a history that is gone. Start from nothing. */
  readonly reset: () => void;
  readonly caughtUp: () => void;
  readonly onStatus: (status: ConnectionStatus) => void;
  /** False: what is here is not what the server has; it is told again, from the cursor as it is then. */
  readonly agrees: (state: ServerState) => boolean;
};

export type Following = {
  readonly retryNow: () => void;
  /** Stops listening and keeps what is here, until woken. Where the events come alone it does nothing. */
  readonly rest: () => void;
  readonly wake: () => void;
  readonly close: () => void;
  /** Settles when nothing comes any more; never rejects. */
  readonly closed: Promise<void>;
};

/** A session has one follower at a time. */
export type Follow = (sessionId: string, follower: Follower) => Following;
