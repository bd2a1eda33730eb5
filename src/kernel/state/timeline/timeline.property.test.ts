// What must hold for the timeline of every session: those that were recorded, and those that could be.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sessions } from "../../../../test/support/events.ts";
import { readRecordings } from "../../../../test/support/recordings/session-recordings.ts";
import type { RunEvent } from "../../events/events.ts";
import { applyToTimeline, emptyTimeline, type Span, type TimelineState } from "./timeline.ts";
import { get, toArray, values } from "../vector.ts";

const fold = (events: readonly RunEvent[], from?: TimelineState) =>
  events.reduce(applyToTimeline, from ?? emptyTimeline(events[0]?.session_id ?? ""));

const recorded = readRecordings().map(({ events }) => events as readonly RunEvent[]);
const anySession = fc.oneof(fc.constantFrom(...recorded), sessions);

const spansOf = (state: TimelineState): Span[] =>
  toArray(state.lines).flatMap(({ spans }) => toArray(spans));

/** Without sharing: what it says, not how it is kept. */
const plain = (state: TimelineState) => ({
  at: state.at,
  seq: state.seq,
  lines: toArray(state.lines).map((line) => ({ ...line, spans: toArray(line.spans) })),
  heard: toArray(state.heard),
});

test("[V2] live or cut anywhere and resumed with any overlap: the same timeline", () => {
  fc.assert(
    fc.property(anySession, fc.nat(), fc.nat(), (events, a, b) => {
      const cut = a % (events.length + 1);
      const resumeFrom = b % (cut + 1);
      const before = fold(events.slice(0, cut));
      assert.deepEqual(plain(fold(events.slice(resumeFrom), before)), plain(fold(events)));
    }),
  );
});

test("[UX] no span ends before it starts, and every span has ended when its run has", () => {
  fc.assert(
    fc.property(anySession, fc.nat(), (events, a) => {
      const state = fold(events.slice(0, 1 + (a % events.length)));
      for (const line of values(state.lines)) {
        for (const span of values(line.spans)) {
          assert.ok(span.endedAt === null || span.endedAt >= span.startedAt, span.id);
          assert.equal(span.endedAt === null, span.status === "running", span.id);
          assert.ok(span.to === null || span.to >= span.from, span.id);
          if (line.endedAt === null) continue;
          assert.ok(span.endedAt !== null && span.endedAt <= line.endedAt, span.id);
          assert.ok(span.startedAt >= line.startedAt, span.id);
        }
      }
    }),
  );
});

test("[UX] every span has a name of its own, and its anchor is an event of its run up to now", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      const heads = new Map<string, number>();
      for (const { run_id, seq } of events) heads.set(run_id, seq);
      const spans = spansOf(fold(events));
      assert.equal(new Set(spans.map(({ id }) => id)).size, spans.length);
      for (const { seq, runId, parent } of spans) {
        assert.ok(seq >= 1 && seq <= (heads.get(runId) ?? 0));
        if (parent !== null) assert.ok(spans.some(({ id }) => id === parent));
      }
    }),
  );
});

test("[S2] an event leaves the spans of every other run as they were", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      let state = emptyTimeline(events[0]?.session_id ?? "");
      for (const event of events) {
        const next = applyToTimeline(state, event);
        for (let place = 0; place < state.lines.length; place++) {
          const before = get(state.lines, place);
          const after = get(next.lines, place);
          if (before === after || event.run_id === before?.runId) continue;
          assert.equal(before?.spans, after?.spans);
        }
        state = next;
      }
    }),
    { numRuns: 40 },
  );
});
