// What must hold for the fold of every journal, whatever happened on the way to the reader.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { journals } from "../../../../test/support/events.ts";
import type { RunEvent } from "../../events/events.ts";
import type { Item } from "./items.ts";
import { applyEvent, emptyRun, fromSnapshot, toSnapshot, type RunState } from "./state.ts";
import { isTerminal } from "./status.ts";
import { get, values } from "../vector.ts";

const fold = (events: readonly RunEvent[]) => events.reduce(applyEvent, emptyRun("r1"));

/** As a page does it: the state goes through JSON and comes back. */
function reload(state: RunState): RunState {
  const back = fromSnapshot(JSON.parse(JSON.stringify(toSnapshot(state))));
  assert.ok(back);
  return back;
}

test("[F1a] reconnecting at any point, with any overlap, ends in the same state", () => {
  fc.assert(
    fc.property(journals, fc.nat(), fc.nat(), (events, a, b) => {
      const cut = a % (events.length + 1);
      const resumeFrom = b % (cut + 1); // the server may resend events the client already has

      const beforeDrop = fold(events.slice(0, cut));
      const afterResume = events.slice(resumeFrom).reduce(applyEvent, beforeDrop);

      assert.deepEqual(afterResume, fold(events));
    }),
  );
});

test("[F1a] duplicates, reordered old frames and reloads anywhere change nothing", () => {
  const mishaps = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { maxLength: 12 });
  fc.assert(
    fc.property(journals, mishaps, (events, happened) => {
      let state = emptyRun("r1");
      for (const [index, event] of events.entries()) {
        state = applyEvent(state, event);
        for (const [at, old, reloads] of happened) {
          if (at % events.length !== index) continue;
          if (reloads) state = reload(state);
          const stale = events[old % (index + 1)];
          if (stale) assert.equal(applyEvent(state, stale), state);
        }
      }
      assert.deepEqual(toSnapshot(state), toSnapshot(fold(events)));
    }),
  );
});

test("[F1] snapshot(k) + fold(k+1..n) = fold(1..n) for every k", () => {
  fc.assert(
    fc.property(journals, (events) => {
      const whole = toSnapshot(fold(events));
      let prefix = emptyRun("r1");
      for (let k = 0; k <= events.length; k++) {
        assert.deepEqual(toSnapshot(events.slice(k).reduce(applyEvent, reload(prefix))), whole);
        const next = events[k];
        if (next) prefix = applyEvent(prefix, next);
      }
    }),
    { numRuns: 40 },
  );
});

test("[F2] items an event does not name keep their identity, so views skip them", () => {
  fc.assert(
    fc.property(journals, (events) => {
      let run = emptyRun("r1");
      for (const event of events) {
        const next = applyEvent(run, event);
        for (let index = 0; index < run.items.length; index++) {
          const item = get(next.items, index);
          if (item === get(run.items, index)) continue;
          assert.ok(item && names(event, item), `${event.type} changed item ${index}`);
        }
        assert.ok(next.items.length - run.items.length <= 1);
        run = next;
      }
    }),
  );
});

test("[F3] what is settled is never replaced again", () => {
  fc.assert(
    fc.property(journals, (events) => {
      const settled = new Map<number, Item>();
      let run = emptyRun("r1");
      for (const event of events) {
        run = applyEvent(run, event);
        let index = 0;
        for (const item of values(run.items)) {
          const known = settled.get(index);
          if (known) assert.equal(item, known, `${event.type} changed a settled ${item.kind}`);
          else if (isSettled(item)) settled.set(index, item);
          index += 1;
        }
      }
    }),
  );
});

test("[F4] any hole is an error", () => {
  fc.assert(
    fc.property(journals, fc.nat(), (events, a) => {
      const missing = a % (events.length - 1);
      const holed = events.filter((_, index) => index !== missing);
      assert.throws(() => fold(holed), /gap in r1/);
    }),
  );
});

test("[F6] folding twice gives the same, and changes neither the state nor the event", () => {
  fc.assert(
    fc.property(journals, (events) => {
      let state = emptyRun("r1");
      for (const event of events) {
        freeze(state);
        freeze(event);
        const next = applyEvent(state, event);
        assert.deepEqual(applyEvent(state, event), next);
        state = next;
      }
    }),
    { numRuns: 40 },
  );
});

test("[E8] the cursor is always the last event's, whatever its type", () => {
  fc.assert(
    fc.property(journals, (events) => {
      let run = emptyRun("r1");
      for (const event of events) {
        run = applyEvent(run, event);
        assert.equal(run.seq, event.seq);
        assert.equal(run.updatedAt, event.created_at);
      }
      const last = events.at(-1);
      assert.equal(isTerminal(run.status), last?.terminal === true);
    }),
  );
});

function isSettled(item: Item): boolean {
  if (item.kind === "text" || item.kind === "reasoning") return item.superseded;
  if (item.kind === "tool") return item.durationMs !== null;
  return item.kind === "notice" && item.request?.answer !== null && item.request !== null;
}

function names(event: RunEvent, item: Item): boolean {
  const payload: Record<string, unknown> = event.payload;
  if (item.kind === "tool") return payload["call_id"] === item.callId;
  if (item.kind === "notice") return payload["clarify_id"] === item.request?.id;
  if (item.kind === "user") {
    return event.type === "message.edited" && payload["message_id"] === item.messageId;
  }
  if (event.type === "turn.superseded") return payload["turn_id"] === item.turnId;
  return item.kind === "text"
    ? payload["message_id"] === item.messageId
    : payload["reasoning_id"] === item.reasoningId;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child);
}
