// Whatever a session goes through: one frame per event at most, the same from the past as when it
// happened, from any place, and nothing remembered of what is over.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import { sessions } from "../../../../test/support/events.ts";
import {
  readRecordings,
  type AnyEvent,
} from "../../../../test/support/recordings/session-recordings.ts";
import { consoleDialect, type ConsoleFrame } from "./console.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";

function emitted(
  events: readonly AnyEvent[],
  { replay = false, state = consoleDialect.begin() } = {},
): ConsoleFrame[] {
  return events.flatMap((event) => {
    const frames = encode(consoleDialect, event, state, { replay });
    assert.ok(frames.length <= 1, `${event.type} in ${frames.length} frames`);
    for (const frame of frames) assert.equal(frame.id, event.event_id);
    return frames;
  });
}

type State = ReturnType<typeof consoleDialect.begin>;
const again = (state: State) => JSON.parse(JSON.stringify(state)) as State;

function check(events: readonly AnyEvent[], cut: number): void {
  const live = emitted(events);
  assert.deepEqual(emitted(events, { replay: true }), live, "the past is told as the present was");
  const state = consoleDialect.begin();
  const before = emitted(events.slice(0, cut), { state });
  const rest = emitted(events.slice(cut), { state: again(state) });
  assert.deepEqual([...before, ...rest], live, "the state is plain data");
}

test("[W1, W3] live, replayed and cut anywhere: the same frames, one per event at most", () => {
  fc.assert(
    fc.property(sessions, fc.nat(), (events, cut) => check(events, cut % (events.length + 1))),
    { numRuns: tries(300) },
  );
});

const ASKING = new Set(["approval.requested", "clarify.requested", "tool.outcome_unknown"]);
const ANSWERED = new Set(["approval.resolved", "clarify.resolved"]);

/** Ids of requests, as events and frames name them. */
function idOf(payload: Readonly<Record<string, unknown>>): unknown {
  return payload["request_id"] ?? payload["approval_id"] ?? payload["clarify_id"];
}

function checkRequests(events: readonly AnyEvent[]): void {
  const named = (types: ReadonlySet<string>) =>
    events.filter(({ type }) => types.has(type)).map(({ payload }) => idOf(payload));
  const frames = emitted(events);
  const shown = (pattern: RegExp) =>
    frames.filter(({ type }) => pattern.test(type)).map(({ payload }) => idOf(payload));
  assert.deepEqual(shown(/^(approval|clarify)\.requested$/), named(ASKING));
  assert.deepEqual(shown(/^(approval|clarify)\.resolved$/), named(ANSWERED));
}

test("[W4] every request and every answer is told under the names clients know", () => {
  fc.assert(fc.property(sessions, checkRequests), { numRuns: tries(300) });
});

const hasEnded = (events: readonly AnyEvent[]) => {
  const runs = new Set(
    events.filter(({ run_id, session_id }) => run_id !== session_id).map(({ run_id }) => run_id),
  );
  for (const { terminal, run_id } of events) if (terminal) runs.delete(run_id);
  return runs.size === 0;
};

function checkForgotten(events: readonly AnyEvent[]): State {
  const state = consoleDialect.begin();
  emitted(events, { state });
  const { runs, requests, calls } = state;
  const left = { runs, requests, calls: calls.open };
  if (hasEnded(events)) assert.deepEqual(left, { runs: {}, requests: {}, calls: {} });
  return state;
}

test("[W1] of runs that have ended nothing is remembered", () => {
  fc.assert(
    fc.property(sessions, (events) => void checkForgotten(events)),
    { numRuns: tries(300) },
  );
});

for (const { name, events } of readRecordings()) {
  test(`[W1, W3, W4] a recorded session (${name}) is told whole, from any place`, () => {
    for (let cut = 0; cut <= events.length; cut += 7) check(events, cut);
    checkRequests(events);
    assert.deepEqual(checkForgotten(events).calls.children, {}, "subagents end too");
    const roots = emitted(events).filter(({ type }) => /^run\.(completed|failed)$/.test(type));
    const children = events.filter(({ type }) => type === "subagent.started").length;
    const ends = events.filter(({ terminal }) => terminal).length;
    assert.equal(roots.length, ends - children, "a client sees the end of each run it knows");
  });
}
