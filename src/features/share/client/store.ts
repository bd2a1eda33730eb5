// A recording as a session that is open: all of it is there from the first moment, and nothing follows.
import type { RunEvent } from "../../../kernel/events/events.ts";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import { openSession, type SessionStore } from "../../../kernel/client/sessions/store.ts";

export function openRecorded(sessionId: string, events: readonly RunEvent[]): SessionStore {
  return openSession(sessionId, {
    api: { events: () => Promise.reject(toApiFailure(undefined)) }, // nobody asks
    follow: (_sessionId, follower) => {
      follower.apply(events);
      follower.caughtUp();
      follower.onStatus({ state: "live", failure: null, lastFrameAt: null });
      const nothing = () => {};
      const over = Promise.resolve();
      return { retryNow: nothing, rest: nothing, wake: nothing, close: nothing, closed: over };
    },
  });
}
