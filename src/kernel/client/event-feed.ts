// Turns an event stream into events for a fold. It knows the journal's epoch and what a refused cursor means; a frame
// that it does not understand is skipped without moving the cursor.
import type { RunEvent } from "../events/events.ts";
import type { Api } from "./api.ts";
import type { ApiFailure } from "./api-failure.ts";
import {
  startConnection,
  type Connection,
  type ConnectionStatus,
  type Timing,
} from "./connection.ts";
import type { Follow } from "./follow.ts";
import { createParser } from "eventsource-parser";

type EventFeedOptions = {
  readonly api: Pick<Api, "events">;
  readonly path: string;
  readonly cursor: () => number;
  /** Must skip what it has and throw on a gap: then the stream is read again from the cursor. */
  readonly apply: (events: readonly RunEvent[]) => void;
  /** What was folded belongs to a history that is gone. Start from nothing. */
  readonly reset: () => void;
  readonly onHead?: (head: number) => void;
  readonly onStatus: (status: ConnectionStatus) => void;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly timing?: Partial<Timing>;
};

/** Without a head it says no more than that everything written so far was sent. */
type Heartbeat = { readonly head?: number; readonly epoch: string };

/** Each session by a stream of its own: for windows that show one, where there is no page. */
export function followByStream({
  api,
  random = Math.random,
  timing,
}: Pick<EventFeedOptions, "api" | "timing"> & { random?: () => number }): Follow {
  return (sessionId, follower) => {
    const stop = new AbortController();
    const feed = startEventFeed({
      api,
      path: `/api/sessions/${encodeURIComponent(sessionId)}/events`,
      cursor: follower.cursor,
      apply: follower.apply,
      reset: follower.reset,
      onHead: (head) => {
        if (follower.cursor() >= head) follower.caughtUp();
      },
      onStatus: follower.onStatus,
      random,
      signal: stop.signal,
      ...(timing && { timing }),
    });
    return {
      retryNow: () => feed.retryNow(),
      rest: () => undefined,
      wake: () => undefined,
      close: () => stop.abort(),
      closed: feed.closed,
    };
  };
}

function startEventFeed(options: EventFeedOptions): Connection {
  // Of the journal now, not of an event: events written before a restore keep their old epoch.
  let epoch: string | null = null;

  const learn = (heartbeat: Heartbeat) => {
    const known = epoch;
    epoch = heartbeat.epoch;
    if (known !== null && known !== epoch) throw new EpochChanged();
    options.onHead?.(heartbeat.head ?? options.cursor());
  };
  const { api, path, cursor } = options;
  return startConnection<Frame>({
    open: async (signal) => sseFrames(await api.events(urlOf(path, cursor(), epoch), signal)),
    onFrames: (frames) => {
      try {
        options.apply(eventsIn(frames));
        for (const heartbeat of heartbeatsIn(frames)) learn(heartbeat);
      } catch (error) {
        if (error instanceof EpochChanged) options.reset();
        throw error;
      }
    },
    onFailure: (failure) => {
      if (failure.code !== "cursor_invalid") return false;
      epoch = epochIn(failure);
      options.reset();
      return true;
    },
    onStatus: options.onStatus,
    random: options.random,
    signal: options.signal,
    ...(options.timing && { timing: options.timing }),
  });
}

class EpochChanged extends Error {}

function urlOf(path: string, cursor: number, epoch: string | null): string {
  // Position 0 fits every journal; naming an epoch there could only be refused.
  const of = epoch !== null && cursor > 0 ? `&epoch=${encodeURIComponent(epoch)}` : "";
  return `${path}?after_seq=${cursor}${of}`;
}

function eventsIn(frames: readonly Frame[]): RunEvent[] {
  return frames
    .filter(({ event }) => event === undefined || event === "message")
    .map(({ data }) => JSON.parse(data) as RunEvent);
}

function heartbeatsIn(frames: readonly Frame[]): Heartbeat[] {
  return frames
    .filter(({ event }) => event === "heartbeat")
    .map(({ data }) => JSON.parse(data) as Heartbeat)
    .filter(({ epoch }) => typeof epoch === "string");
}

/** The epoch a refusal names, if it does. */
export function epochIn({ details }: Pick<ApiFailure, "details">): string | null {
  const epoch = (details as { epoch?: unknown } | null | undefined)?.epoch;
  return typeof epoch === "string" ? epoch : null;
}

// The frames of an event stream, a chunk's worth at a time.
export type Frame = { readonly event: string | undefined; readonly data: string };

export async function* sseFrames({ body }: Response): AsyncGenerator<readonly Frame[]> {
  if (!body) return;
  let frames: Frame[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => frames.push({ event, data }) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield frames; // also when there is none yet: bytes are a sign of life
      frames = [];
    }
  } finally {
    await reader.cancel().catch(() => {}); // it may have failed already; then there is nothing to free
  }
}
