// The recorded sessions themselves: whole, unchanged, of every type there is, and of no machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GENESIS, verify } from "../../src/kernel/journal/hash-chain.ts";
import { EVENT_TYPES, RunEvent } from "../../src/kernel/events/events.ts";
import { applySessionEvent, emptySession } from "../../src/kernel/state/session/session-state.ts";
import { SAMPLES } from "../support/recordings/sample-events.ts";
import { readRecordings, type AnyEvent } from "../support/recordings/session-recordings.ts";

const recordings = readRecordings();
const MAX_BYTES = 200_000;

test("[W1] there are recordings of everything a window has to tell", () => {
  assert.deepEqual(
    recordings.map(({ name }) => name),
    [
      "approval",
      "background",
      "branch",
      "budget",
      "cancel",
      "cancelled-subagent",
      "clarify",
      "compaction",
      "crash",
      "deny",
      "failed",
      "failing-tools",
      "files",
      "goal",
      "outcome-unknown",
      "parallel-tools",
      "plan",
      "queue",
      "rewind",
      "settings",
      "subagent-questions",
      "subagents",
      "text",
      "thinking",
      "todo",
      "two-approvals",
      "unknown-types",
    ],
  );
});

test("[W2] every type of event is recorded, or sampled because nothing recorded writes it", () => {
  const types = (events: readonly AnyEvent[]) => new Set<string>(events.map(({ type }) => type));
  const recorded = types(recordings.flatMap(({ events }) => events));
  assert.deepEqual(
    EVENT_TYPES.filter((type) => !recorded.has(type) && !types(SAMPLES).has(type)),
    [],
  );
  for (const event of SAMPLES) RunEvent.parse(event);
});

for (const { name, lines, events } of recordings) {
  test(`[W1, E6, E4] ${name}: every log verifies, the session has no gaps`, () => {
    const heads = new Map<string, string>();
    let session = emptySession(events[0]?.session_id ?? "");
    for (const [index, event] of events.entries()) {
      const line = lines[index] ?? "";
      const hash = verify(line, heads.get(event.run_id) ?? GENESIS);
      assert.ok(hash, line.slice(0, 100));
      heads.set(event.run_id, hash);
      if (EVENT_TYPES.includes(event.type)) RunEvent.parse(event);
      session = applySessionEvent(session, event as RunEvent); // throws at a gap
    }
    assert.deepEqual(session.pending, {}, "nothing waits for an answer any more");
    assert.deepEqual(session.open, {}, "every run has ended");
  });

  test(`[S] ${name} is small and names no place but its own workspace`, () => {
    const text = lines.join("\n");
    assert.ok(text.length <= MAX_BYTES, `${text.length} bytes`);
    const places = text.match(/(?<![\w.:/])\/[a-z][\w.-]*(?:\/[\w.-]+)+/g) ?? [];
    const elsewhere = places.filter((place) => !/^\/(tmp\/qd-rec\/workspace|weather)/.test(place));
    assert.deepEqual([...new Set(elsewhere)], []);
  });
}
