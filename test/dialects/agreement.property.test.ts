// A window may be opened late, left and resumed anywhere: it tells the same. What it remembers meanwhile is
// plain data, and stays as small as what is going on.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../support/tries.ts";
import {
  eventSequences,
  unknownDrafts,
  withoutOptional,
} from "../support/recordings/event-arbitraries.ts";
import { SAMPLES } from "../support/recordings/sample-events.ts";
import {
  familyOf,
  readRecordings,
  rootRuns,
  type AnyEvent,
} from "../support/recordings/session-recordings.ts";
import {
  REPLAY,
  emit,
  mostFrames,
  TELLERS,
  windowsOn,
  type Teller,
  type Emitted,
} from "../support/recordings/emitted.ts";

const recordings = [...readRecordings().map(({ events }) => events), SAMPLES];

const bytes = (emitted: readonly Emitted[]) =>
  emitted.map(({ event, frame }) => `${event.session_seq} ${JSON.stringify(frame)}`);

/** Frames without the one thing that may tell the past from the present. */
const undated = (emitted: readonly Emitted[]) =>
  bytes(emitted.map(({ event, frame }) => ({ event, frame: { ...frame, replay: undefined } })));

const copied = (state: unknown) => structuredClone(JSON.parse(JSON.stringify(state)) as unknown);

for (const teller of TELLERS) {
  const shown = recordings.flatMap((events) => windowsOn(teller, events));

  test(`[W1] ${teller.name}: the past is told as it was told live`, () => {
    for (const events of shown) {
      assert.deepEqual(
        undated(emit(teller, events, { emitOptions: REPLAY })),
        undated(emit(teller, events)),
      );
    }
  });

  test(`[W1] ${teller.name}: left at any event and resumed from what was remembered, the rest is the same`, () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...shown), eventSequences(40)),
        fc.nat(),
        (events, at) => {
          const cut = at % (events.length + 1);
          const state = teller.begin();
          const before = emit(teller, events.slice(0, cut), { state });
          const after = emit(teller, events.slice(cut), { state: copied(state) });
          assert.deepEqual(bytes([...before, ...after]), bytes(emit(teller, events)));
        },
      ),
      { numRuns: tries(300) },
    );
  });

  test(`[W3] ${teller.name}: a cursor never goes back, and stands for one event`, () => {
    for (const events of shown) {
      const emitted = emit(teller, events);
      const cursors = emitted.flatMap(({ frame }) => teller.cursor?.({ ...frame }) ?? []);
      assert.deepEqual(
        cursors,
        [...new Set(cursors)].toSorted((a, b) => a - b),
      );
      assertFew(teller, emitted);
    }
  });

  test(`[W2] ${teller.name}: what is optional may be missing, and unknown events may come anywhere`, () => {
    for (const events of shown) emit(teller, events.map(withoutOptional));
    fc.assert(
      fc.property(
        fc.constantFrom(...shown),
        fc.array(fc.tuple(fc.nat(), unknownDrafts), { maxLength: 5 }),
        (events, foreign) => {
          const emitted = emit(teller, mixed(events, foreign)).filter(
            ({ event }) => !isForeign(event),
          );
          assert.equal(emitted.length, emit(teller, events).length, "they change nothing else");
        },
      ),
    );
  });

  test(`[W1] ${teller.name}: what it remembers does not grow with what is over`, () => {
    for (const events of recordings) {
      const state = teller.begin();
      const sizes = rounds(teller, events).map((shown) => {
        emit(teller, shown, { state });
        return JSON.stringify(state).length;
      });
      const growth = (sizes.at(-1) ?? 0) - (sizes[1] ?? 0);
      assert.ok(growth < 100, `${events[0]?.session_id}: ${sizes.join(" ")}`); // digits of counters
    }
  });
}

test("[W1] console: a window on one run tells of it what the session's window tells", () => {
  const teller = TELLERS.find(({ name }) => name === "console");
  assert.ok(teller);
  for (const events of recordings) {
    const whole = emit(teller, events);
    for (const runId of rootRuns(events)) {
      const family = familyOf(events, runId);
      const same = whole.filter(({ event }) => family.includes(event));
      assert.deepEqual(bytes(emit(teller, family)), bytes(same));
    }
  }
});

/** A session goes on for ever; a window on a run is closed with it, and need not be so careful. */
function rounds({ of }: Teller, events: readonly AnyEvent[]): (readonly AnyEvent[])[] {
  return of === "run" ? [] : Array.from({ length: 12 }, (_, round) => again(events, round));
}

/** No event in more frames than its protocol allows (W3). */
function assertFew(teller: Teller, emitted: readonly Emitted[]): void {
  const counts = Map.groupBy(emitted, ({ event }) => event);
  for (const [event, frames] of counts) {
    assert.ok(
      frames.length <= mostFrames(teller, event),
      `${event.type} is told in ${frames.length} frames`,
    );
  }
}

const FOREIGN = "foreign";
const isForeign = ({ event_id }: AnyEvent) => event_id === FOREIGN;

function mixed(
  events: readonly AnyEvent[],
  foreign: readonly [number, { type: string; payload: Record<string, unknown> }][],
): AnyEvent[] {
  const all = [...events];
  for (const [at, draft] of foreign) {
    const index = at % all.length;
    const before = all[index];
    if (before && !before.terminal) {
      all.splice(index + 1, 0, { ...before, ...draft, event_id: FOREIGN } as AnyEvent);
    }
  }
  return all;
}

/** The same happens once more, in other runs. */
function again(events: readonly AnyEvent[], round: number): AnyEvent[] {
  const text = JSON.stringify(events).replaceAll(/run_[0-9a-f]{32}/g, (id) => `${id}${round}`);
  const later = JSON.parse(text) as AnyEvent[];
  return later.map((event) => ({
    ...event,
    session_seq: event.session_seq + round * events.length,
  }));
}
