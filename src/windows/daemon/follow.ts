// Sessions that something happens in, each followed once for all clients of the daemon window. One that
// has been quiet for a while is let go; whoever asked remembers how far it was told.
import { setImmediate } from "node:timers/promises";
import { daemonDialect } from "./wire/daemon.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { packMessages } from "../../kernel/server/feed/sockets.ts";
import type { Subscriber } from "../../kernel/server/feed/tail.ts";
import { windowSource } from "../../kernel/server/feed/window.ts";

type Emitted = { readonly sessionId: string; readonly lastEventId: number };
type FollowOptions = {
  readonly idleMs: number;
  /** Frames of one session, packed, and the event they end with. */
  readonly emitted: (chunk: Buffer, what: Emitted) => void;
  /** It could not be read any further. */
  readonly lost: (sessionId: string) => void;
};
type Follows = {
  readonly size: number;
  /** True when the session is being followed: what is new comes by itself. */
  keep(sessionId: string): boolean;
  /** Settles when everything so far was told. Rejects when the session cannot be read. */
  begin(sessionId: string, after: number): Promise<void>;
  stop(): void;
};

type Follow = { readonly idle: NodeJS.Timeout; over: boolean };

export function daemonFollows(
  { journal, streams }: Pick<AppDeps, "journal" | "streams">,
  { idleMs, emitted, lost }: FollowOptions,
): Follows {
  const open = new Map<string, Follow>();

  function release(sessionId: string, follow: Follow): void {
    follow.over = true;
    clearTimeout(follow.idle);
    if (open.get(sessionId) === follow) open.delete(sessionId);
  }

  function subscriberFor(sessionId: string, follow: Follow): Subscriber {
    return {
      get closed() {
        return follow.over;
      },
      write(chunk) {
        const lastEventId = lastIn.get(chunk);
        if (follow.over || lastEventId === undefined) return !follow.over;
        emitted(chunk, { sessionId, lastEventId });
        return true;
      },
      drained: () => setImmediate(), // clients are each dropped or served at their own pace
      end() {
        release(sessionId, follow);
        lost(sessionId);
      },
    };
  }

  return {
    get size() {
      return open.size;
    },
    keep(sessionId) {
      const follow = open.get(sessionId);
      follow?.idle.refresh();
      return follow !== undefined;
    },
    async begin(sessionId, after) {
      const idle = setTimeout(() => release(sessionId, follow), idleMs).unref();
      const follow: Follow = { idle, over: false };
      open.set(sessionId, follow);
      const text = (frame: object) => JSON.stringify(frame);
      const spec = { dialect: daemonDialect, sessionId, text, pack };
      try {
        const source = windowSource(journal, spec);
        await streams.tails.subscribe(source, after, subscriberFor(sessionId, follow));
        if (!follow.over) idle.refresh(); // a long session takes a while to be read
      } catch (error) {
        release(sessionId, follow);
        throw error;
      }
    },
    stop() {
      for (const [sessionId, follow] of open) release(sessionId, follow);
    },
  };
}

// Which event a chunk ends with. A tail may go on with what an earlier follower framed, so the chunk
// itself has to say it.
const lastIn = new WeakMap<Buffer, number>();
const BEGINNING = '{"eventId":';

function pack(texts: readonly string[]): Buffer {
  const chunk = packMessages(texts);
  const last = Number.parseInt(texts.at(-1)?.slice(BEGINNING.length) ?? "", 10);
  if (Number.isInteger(last)) lastIn.set(chunk, last);
  return chunk;
}
