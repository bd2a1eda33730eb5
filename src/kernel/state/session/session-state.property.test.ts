// What must hold for the fold of every session.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sessions } from "../../../../test/support/events.ts";
import type { RunEvent } from "../../events/events.ts";
import {
  applySessionEvent,
  emptySession,
  fromSessionSnapshot,
  toSessionSnapshot,
  type SessionState,
} from "./session-state.ts";
import { get } from "../vector.ts";

const fold = (events: readonly RunEvent[]) => events.reduce(applySessionEvent, emptySession("s1"));

function reload(state: SessionState): SessionState {
  const back = fromSessionSnapshot(JSON.parse(JSON.stringify(toSessionSnapshot(state))));
  assert.ok(back);
  return back;
}

test("[F1a] a session is the same after any cut, overlap, reload and duplicate", () => {
  fc.assert(
    fc.property(sessions, fc.nat(), fc.nat(), (events, a, b) => {
      const cut = a % (events.length + 1);
      const resumeFrom = b % (cut + 1);
      const before = reload(fold(events.slice(0, cut)));
      const after = events.slice(resumeFrom).reduce(applySessionEvent, before);
      assert.deepEqual(toSessionSnapshot(after), toSessionSnapshot(fold(events)));
    }),
  );
});

test("[F2] only the run an event belongs to gets a new summary", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      let state = emptySession("s1");
      for (const event of events) {
        const next = applySessionEvent(state, event);
        for (let index = 0; index < state.runs.length; index++) {
          const run = get(next.runs, index);
          if (run === get(state.runs, index)) continue;
          const named = event.type === "session.rewound" ? event.payload.run_ids : [event.run_id];
          assert.ok(run && named.includes(run.runId));
        }
        state = next;
      }
    }),
  );
});

test("[F4] any hole in a session is an error", () => {
  fc.assert(
    fc.property(sessions, fc.nat(), (events, a) => {
      const missing = a % (events.length - 1);
      assert.throws(() => fold(events.filter((_, index) => index !== missing)), /gap in session/);
    }),
  );
});

test("[E8] the session's cursor is the last event's session_seq", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      assert.equal(fold(events).seq, events.at(-1)?.session_seq);
    }),
  );
});
