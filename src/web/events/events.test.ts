import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { knownDrafts, unknownDrafts } from "../../../test/support/recordings/event-arbitraries.ts";
import { sessions } from "../../../test/support/events.ts";
import { createRecording } from "../../kernel/client/recording.ts";
import { EVENT_TYPES, type RunEvent } from "../../kernel/events/events.ts";
import { GROUPS, groupOf } from "./groups.ts";
import { createFilter, isEverything, type Wanted } from "./filter.ts";
import { summaryOf } from "./summary.ts";
import { sessionSeqOf } from "./find-event.ts";

const recordingOf = (events: readonly RunEvent[]) => {
  const recording = createRecording("s1");
  for (const event of events) recording.append(event);
  return recording;
};
const request = (change: Partial<Wanted>): Wanted => ({
  group: null,
  text: "",
  isMeant: null,
  ...change,
});
const noClock = () => 0;

test("[UX] every type of event has a group, and types nobody knows are “other”", () => {
  for (const type of EVENT_TYPES) assert.notEqual(groupOf(type), "other", type);
  for (const type of ["x.note", "constructor", "__proto__", ""]) {
    assert.equal(groupOf(type), "other");
  }
});

test("[S] any event has a summary of one short line with nothing hidden in it", () => {
  fc.assert(
    fc.property(fc.oneof(knownDrafts, unknownDrafts), (draft) => {
      const summary = summaryOf(draft as unknown as RunEvent);
      assert.ok(summary.length <= 2_000 && !/[\n\u202e\u200b]/.test(summary));
    }),
  );
  const hidden = { type: "error", payload: { code: "c", message: "a\u202eb\nc" } };
  assert.equal(summaryOf(hidden as unknown as RunEvent), "c · a\\u{202e}b c");
});

test("[UX] recorded events read as a person would tell them", () => {
  const emitted = new Map<string, string>();
  const folder = join(import.meta.dirname, "../../../test/journals/sessions");
  for (const path of globSync("*.events.jsonl", { cwd: folder })) {
    for (const line of readFileSync(join(folder, path), "utf8").trim().split("\n")) {
      const event = JSON.parse(line) as RunEvent;
      if (!emitted.has(event.type)) emitted.set(event.type, summaryOf(event));
    }
  }
  assert.match(emitted.get("tool.done") ?? "", / · completed · .*m?s/);
  assert.match(emitted.get("turn.started") ?? "", /^turn 1 · scripted/);
  assert.match(emitted.get("approval.requested") ?? "", / · execute · /);
});

const text = fc.constantFrom("", "t1", "DEMO run", "zzz", "run.queued");
const group = fc.option(fc.constantFrom(...GROUPS));

test("[V1] found in slices of any size, while events arrive, it is what a whole look finds", () => {
  fc.assert(
    fc.property(sessions, text, group, fc.nat(), (events, words, kind, cut) => {
      const recording = createRecording("s1");
      const filter = createFilter(request({ text: words, group: kind }));
      events.forEach((event, index) => {
        recording.append(event);
        if (index % ((cut % 5) + 1) === 0) filter.scan(recording, noClock, 1);
      });
      filter.scan(recording, noClock, 1);
      const expected = events.filter(({ type, run_id, payload }) => {
        const whole = `${type} ${run_id} ${JSON.stringify(payload)}`.toLowerCase();
        const said = words
          .toLowerCase()
          .split(" ")
          .every((word) => whole.includes(word));
        return said && (kind === null || groupOf(type) === kind);
      });
      assert.deepEqual(
        filter.found,
        expected.map(({ session_seq }) => session_seq),
      );
    }),
    { numRuns: 50 },
  );
});

test("[S5] a look stops when its time is up and goes on where it was", () => {
  const event = (seq: number) => ({
    type: "status",
    run_id: "r",
    payload: {},
    session_seq: seq,
    seq,
  });
  const recording = recordingOf(
    Array.from({ length: 1_000 }, (_, at) => event(at + 1) as unknown as RunEvent),
  );
  const filter = createFilter(request({ text: "status" }));
  let now = 0;
  const clock = () => (now += 1); // a look at the clock takes a moment
  let looks = 1;
  while (!filter.scan(recording, clock, 2)) looks += 1;
  assert.ok(looks > 3, `${looks} looks`);
  assert.equal(filter.found.length, 1_000);
});

test("[UX] a run nobody can place yet is waited for, never left out", () => {
  const recording = recordingOf([
    { type: "message.user", run_id: "r1.c", payload: {}, session_seq: 1, seq: 1 },
    { type: "run.queued", run_id: "r1.c", payload: {}, session_seq: 2, seq: 2 },
  ] as unknown as RunEvent[]);
  let known: boolean | null = null;
  const filter = createFilter(request({ isMeant: () => known }));
  assert.equal(filter.scan(recording, noClock, 1), true);
  assert.deepEqual([filter.found.length, filter.scanned], [0, 0]);
  known = true;
  filter.scan(recording, noClock, 1);
  assert.deepEqual(filter.found, [1, 2]);
});

test("[UX] an empty filter shows every event", () => {
  assert.ok(isEverything(request({ text: "  " })));
  assert.ok(!isEverything(request({ isMeant: () => true })));
  assert.ok(!isEverything(request({ group: "tools" })));
});

test("[UX] an event of a run is found in its session, and what is not there is not", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      const recording = recordingOf(events);
      for (const { run_id: runId, seq, session_seq } of events) {
        assert.equal(sessionSeqOf(recording, { runId, seq }), session_seq);
      }
      assert.equal(sessionSeqOf(recording, { runId: "nobody", seq: 1 }), null);
      assert.equal(sessionSeqOf(recording, { runId: "r1", seq: 9_999 }), null);
    }),
    { numRuns: 20 },
  );
});
