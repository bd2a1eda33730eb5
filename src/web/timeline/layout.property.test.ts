// What must hold for the drawing of every session that was recorded, cut anywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readRecordings } from "../../../test/support/recordings/session-recordings.ts";
import { seal, type AnyDraft } from "../../../test/support/events.ts";
import * as d from "../../../test/support/drafts.ts";
import { createRecording } from "../../kernel/client/recording.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { toArray } from "../../kernel/state/vector.ts";
import { barsIn } from "./bars.ts";
import { criticalPath } from "./critical-path.ts";
import { endOfSpan, familyOf, type Family } from "./family.ts";
import { idleStretches } from "./idle.ts";
import { rowsOf } from "./rows.ts";
import { fitting, scaleOf, toTime, toX } from "./scale.ts";
import { timelineFold } from "./timeline-fold.ts";

const recorded = readRecordings().map(({ events }) => events as readonly RunEvent[]);
const TINY = 1e-6;

/** Every root run of a recording after its first events, and the time it is then. */
const drawings = fc
  .tuple(fc.constantFrom(...recorded), fc.nat(), fc.double({ min: 0, max: 60, noNaN: true }))
  .map(([events, cut, later]) => {
    const some = events.slice(0, 2 + (cut % (events.length - 1)));
    const state = timelineFold.apply(timelineFold.empty(some[0]?.session_id ?? ""), some);
    const roots = toArray(state.lines).filter(({ parentRunId }) => parentRunId === null);
    const families = roots.flatMap(({ runId }) => familyOf(state.lines, runId) ?? []);
    return { families, now: state.at + later };
  });

const endOf = (family: Family, now: number) => family.endedAt ?? now;

test("[UX] the parts of the critical path add up to the wall time, one after the other", () => {
  fc.assert(
    fc.property(drawings, ({ families, now }) => {
      for (const family of families) {
        const { segments, seconds, wall } = criticalPath(family, now);
        const sum = Object.values(seconds).reduce((a, b) => a + b, 0);
        assert.ok(Math.abs(sum - wall) < TINY, `${sum} of ${wall}`);
        assert.ok(sum - seconds.between <= wall + TINY);
        let at = family.root.startedAt;
        for (const { from, to } of segments) {
          assert.ok(Math.abs(from - at) < TINY && to > from);
          at = to;
        }
      }
    }),
  );
});

test("[UX] every span has one bar in one row, in no row do two overlap, and none is off the axis", () => {
  fc.assert(
    fc.property(drawings, fc.boolean(), ({ families, now }, compress) => {
      for (const family of families) {
        const rows = rowsOf(family, new Set(family.lines.keys()));
        const drawn = rows.flatMap(({ spans }) => spans);
        assert.equal(new Set(drawn).size, drawn.length);
        assert.equal(drawn.length, family.spans.size);
        const [start, end] = [family.root.startedAt, endOf(family, now) + 0.001];
        const idle = compress ? idleStretches(family, { from: start, to: end }) : [];
        const extent = { start, end, idle };
        const scale = scaleOf(extent, fitting(extent, 900));
        for (const row of rows) {
          let before = -Infinity;
          for (const { x, width } of barsIn(row, scale, { from: 0, to: 900, now })) {
            assert.ok(x >= before - TINY, row.key);
            before = x + width;
          }
          for (const span of row.spans) {
            const [from, to] = [toX(scale, span.startedAt), toX(scale, endOfSpan(span, now))];
            assert.ok(from >= 0 && from <= to && to <= scale.width + TINY);
          }
        }
      }
    }),
  );
});

test("[UX] x never goes back as time goes on, and time comes back from x, compressed or not", () => {
  const times = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 2,
    maxLength: 9,
  });
  fc.assert(
    fc.property(drawings, times, fc.boolean(), ({ families, now }, parts, compress) => {
      for (const family of families) {
        const [from, to] = [family.root.startedAt, endOf(family, now) + 0.001];
        const idle = compress ? idleStretches(family, { from, to }) : [];
        const scale = scaleOf({ start: from, end: to, idle }, 50);
        const xs = parts.toSorted((a, b) => a - b).map((part) => from + part * (to - from));
        for (const [index, time] of xs.entries()) {
          const x = toX(scale, time);
          assert.ok(index === 0 || x >= toX(scale, xs[index - 1] ?? 0));
          assert.ok(Math.abs(toTime(scale, x) - time) < 1e-3);
        }
      }
    }),
  );
});

test("[UX] idle time is never a time at which the model or a tool of its own was at work", () => {
  fc.assert(
    fc.property(drawings, ({ families, now }) => {
      for (const family of families) {
        const within = { from: family.root.startedAt, to: endOf(family, now) };
        for (const { from, to } of idleStretches(family, within)) {
          assert.ok(from < to && from >= within.from && to <= within.to + TINY);
          for (const span of family.spans.values()) {
            if (span.kind !== "turn") continue;
            assert.ok(endOfSpan(span, now) <= from + TINY || span.startedAt >= to - TINY);
          }
        }
      }
    }),
  );
});

const LIMITS = [2_000, 300, 300, 2_000]; // fold, frame, critical path, a hundred steps of the scrubber

/** How long the processor is at it: what else runs on the machine does not count. */
function cost<Value>(work: () => Value): { value: Value; ms: number } {
  const before = process.cpuUsage();
  const value = work();
  return { value, ms: process.cpuUsage(before).user / 1_000 };
}

test("[S5] 20,000 events with 2,000 spans: a step of the scrubber and a frame stay small", () => {
  const turn = (index: number): AnyDraft[] => [
    d.turnStarted(index),
    ...Array.from({ length: 14 }, () => d.token(`m${index}`, "word ")),
    d.said(`m${index}`, "words", `t${index}.1`),
    d.intent(`c${index}`, `t${index}.1`),
    d.toolStarted(`c${index}`),
    d.toolDone(`c${index}`),
    d.turnCompleted(index),
  ];
  const turns = Array.from({ length: 1_000 }, (_, index) => turn(index + 1));
  const events = seal("r1", [d.userMessage("Go"), d.queued, d.started(), ...turns.flat()]);
  assert.ok(events.length >= 20_000);
  const recording = createRecording("s1");
  for (const event of events) recording.append(event);
  const folded = cost(() => recording.fold(timelineFold, events.length));
  const { lines, at: now } = folded.value;
  const family = familyOf(lines, "r1") ?? assert.fail();
  assert.equal(family.spans.size, 2_001);
  const frame = cost(() => {
    const extent = { start: family.root.startedAt, end: now, idle: [] };
    const scale = scaleOf(extent, fitting(extent, 1_000));
    const rows = rowsOf(family, new Set());
    return rows.flatMap((row) => barsIn(row, scale, { from: 0, to: 1_000, now }));
  });
  assert.ok(frame.value.length < 1_000, `${frame.value.length} bars`);
  const path = cost(() => criticalPath(family, now));
  const scrubbed = cost(() => {
    for (let at = 10_000; at < 10_100; at++) recording.fold(timelineFold, at);
  });
  const took = [folded.ms, frame.ms, path.ms, scrubbed.ms];
  // Many times what they take: a cost that grows with the square is far above.
  assert.ok(
    took.every((ms, index) => ms < (LIMITS[index] ?? 0)),
    took.join(" "),
  );
});
