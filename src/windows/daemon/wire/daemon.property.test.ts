// What must hold for the daemon's words of any session, recorded or made up.
import assert from "node:assert/strict";
import { handlerOf } from "../../../kernel/events/event-table.ts";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import * as d from "../../../../test/support/drafts.ts";
import { runDrafts, sealAll, sessionCreated, sessions } from "../../../../test/support/events.ts";
import type { AnyDraft, Entry } from "../../../../test/support/events.ts";
import {
  readRecordings,
  type AnyEvent,
} from "../../../../test/support/recordings/session-recordings.ts";
import type { DaemonEnvelope } from "./events.ts";
import { daemonDialect } from "./daemon.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";

const recorded = readRecordings().map(({ events }) => events);

/** A run that lets another work for it: what both do mixes. */
const families: fc.Arbitrary<AnyEvent[]> = fc
  .tuple(runDrafts, runDrafts, fc.array(fc.boolean(), { maxLength: 60 }))
  .map(([mine, theirs, order]) => {
    const child = { subagent_id: "kid", child_run_id: "kid", call_id: "k", title: "Kid" };
    const started: AnyDraft = {
      type: "subagent.started",
      payload: { ...child, prompt: "p", depth: 1 },
    };
    const on =
      (logId: string) =>
      (draft: AnyDraft): Entry => ({ logId, draft });
    const [a, b] = [mine.slice(3).map(on("r1")), theirs.map(on("kid"))];
    const first = [d.userMessage("go"), d.queued, d.started(), d.intent("k"), started].map(
      on("r1"),
    );
    const mixed = order.flatMap((whose) => [whose ? a.shift() : b.shift()]);
    const rest = [...mixed.filter((entry) => entry !== undefined), ...b, ...a];
    return sealAll([{ logId: "s1", draft: sessionCreated }, ...first, ...rest]);
  });
const histories: fc.Arbitrary<readonly AnyEvent[]> = fc.oneof(
  sessions,
  families,
  fc.constantFrom(...recorded),
);

type State = ReturnType<typeof daemonDialect.begin>;

function emitted(events: readonly AnyEvent[], state: State, replay = false): DaemonEnvelope[] {
  return events.flatMap((event) => encode(daemonDialect, event, state, { replay }));
}
const whole = (events: readonly AnyEvent[]) => emitted(events, daemonDialect.begin());

function requestIdIn(event: DaemonEnvelope["event"] | undefined): string {
  const params: Record<string, unknown> = { ...event?.params };
  return String(params["requestId"]);
}

test("[W1] live, replayed, and left and resumed anywhere, the frames are the same", () => {
  fc.assert(
    fc.property(histories, fc.nat(), (events, a) => {
      const all = whole(events);
      assert.deepEqual(emitted(events, daemonDialect.begin(), true), all);
      const cut = a % (events.length + 1);
      const state = daemonDialect.begin();
      const before = emitted(events.slice(0, cut), state);
      const kept = JSON.parse(JSON.stringify(state)) as State; // plain data
      assert.deepEqual([...before, ...emitted(events.slice(cut), kept)], all);
      const seen = events[cut - 1]?.session_seq ?? 0;
      const resumed = all.filter(({ eventId }) => eventId > seen);
      assert.deepEqual(emitted(events.slice(cut), state), resumed);
    }),
    { numRuns: tries(300) },
  );
});

test("[W3] an event is told in at most one frame, whose number is the event's, always higher", () => {
  fc.assert(
    fc.property(histories, (events) => {
      const state = daemonDialect.begin();
      let last = 0;
      for (const event of events) {
        const frames = encode(daemonDialect, event, state, { replay: false });
        assert.ok(frames.length <= 1, event.type);
        for (const { eventId, sessionId } of frames) {
          assert.equal(eventId, event.session_seq);
          assert.equal(sessionId, event.session_id);
          assert.ok(eventId > last);
          last = eventId;
        }
      }
    }),
    { numRuns: tries(200) },
  );
});

test("[W2] whatever nobody knows is passed on with its number", () => {
  fc.assert(
    fc.property(histories, (events) => {
      const unknown = events.filter(({ type }) => !handlerOf(daemonDialect.table, type));
      const numbers = new Set(whole(events).map(({ eventId }) => eventId));
      for (const { session_seq, type } of unknown) assert.ok(numbers.has(session_seq), type);
    }),
  );
});

test("[W4] every request is told, also a subagent's, and no answer before it", () => {
  const IDS = ["approval_id", "clarify_id", "request_id"];
  const asks = new Set(["approval.requested", "clarify.requested", "tool.outcome_unknown"]);
  fc.assert(
    fc.property(histories, (events) => {
      const frames = new Map(whole(events).map((frame) => [frame.eventId, frame.event]));
      const asked = new Set<string>();
      for (const { type, payload, session_seq } of events) {
        const frame = frames.get(session_seq);
        if (asks.has(type)) {
          const known: Record<string, unknown> = payload;
          const id = IDS.map((name) => known[name]).find((value) => value !== undefined);
          assert.equal(frame?.method, "permission.request");
          assert.equal(requestIdIn(frame), id);
          asked.add(id as string);
        }
        if (frame?.method === "permission.response") {
          assert.ok(asked.has(requestIdIn(frame)));
        }
      }
    }),
    { numRuns: tries(200) },
  );
});

test("[W3] what has ended is forgotten: the state is as small as what goes on", () => {
  fc.assert(
    fc.property(histories, (events) => {
      const state = daemonDialect.begin();
      emitted(events, state);
      const ended = new Set(events.filter(({ terminal }) => terminal).map(({ run_id }) => run_id));
      for (const id of ended) {
        assert.ok(!Object.hasOwn(state.runs, id) && !Object.hasOwn(state.children, id));
        assert.ok(Object.values(state.requests).every(({ runId }) => runId !== id));
        assert.ok(Object.keys(state.calls).every((call) => !call.startsWith(`${id}.`)));
      }
      assert.ok(JSON.stringify(state).length < 2_000 + 2_500 * Object.keys(state.requests).length);
    }),
  );
});
