// Whatever a run goes through: the browser is told the same live, from the past and from any place in
// between, with numbers that only grow, and one end.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import { journals, sessions } from "../../../../test/support/events.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { withoutRepeats, type Steps } from "../../../kernel/dialect/append-only.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import { webuiSessionDialect } from "./session.ts";
import { webuiSeq, type WebuiFrame } from "./frames.ts";
import { webuiDialect } from "./webui.ts";

type Numbered = { readonly seq: number; readonly frame: WebuiFrame };

function emitted(
  events: readonly RunEvent[],
  { replay = false, state = webuiDialect.begin() } = {},
): Numbered[] {
  return events.flatMap((event) =>
    encode(webuiDialect, event, state, { replay }).map((frame) => ({
      seq: webuiSeq(frame, event),
      frame,
    })),
  );
}
const plain = <Value>(value: Value) => JSON.parse(JSON.stringify(value)) as Value;

test("[W1] live, replayed, and left and resumed anywhere: the same frames", () => {
  fc.assert(
    fc.property(sessions, fc.nat(), (events, at) => {
      const live = emitted(events);
      assert.deepEqual(emitted(events, { replay: true }), live);
      const cut = at % (events.length + 1);
      const state = webuiDialect.begin();
      const before = emitted(events.slice(0, cut), { state });
      const rest = emitted(events.slice(cut), { state: plain(state) });
      assert.deepEqual([...before, ...rest], live);
    }),
    { numRuns: tries(300) },
  );
});

test("[W3] within a run's stream numbers grow, an event has one, and the end two", () => {
  fc.assert(
    fc.property(journals, (events) => {
      const numbers = emitted(events).map(({ seq }) => seq);
      for (const [at, seq] of numbers.entries()) assert.ok(seq > (numbers[at - 1] ?? 0));
      const ends = emitted(events).filter(({ frame }) => frame.terminal);
      const ended = events.some(({ terminal }) => terminal);
      assert.equal(ends.length, ended ? 2 : 0);
      if (ended) assert.equal(ends[1]?.frame.event, "stream_end");
    }),
    { numRuns: tries(300) },
  );
});

const ASKS = new Map([
  ["approval.requested", "approval"],
  ["clarify.requested", "clarify"],
  ["tool.outcome_unknown", "clarify"],
]);

test("[W4] every request is told, in both channels", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      const asked = events.flatMap(({ type }) => ASKS.get(type) ?? []);
      const shown = emitted(events).map(({ frame }) => frame.event);
      assert.deepEqual(
        shown.filter((name) => name === "approval" || name === "clarify"),
        asked,
      );
      const channel = webuiSessionDialect.begin();
      const hints = events
        .filter(({ type }) => ASKS.has(type))
        .flatMap((event) => encode(webuiSessionDialect, event, channel, { replay: false }));
      assert.equal(hints.length, asked.length);
    }),
    { numRuns: tries(200) },
  );
});

test("[W1] the tokens of a run are its text, in its order", () => {
  fc.assert(
    fc.property(journals, (events) => {
      const steps: Steps = {};
      const said = events.flatMap((event) => {
        const shown = withoutRepeats(event, steps);
        return shown?.type === "token.delta" ? [shown.payload.delta] : [];
      });
      const shown = emitted(events).flatMap(({ frame }) =>
        frame.event === "token" ? [frame.data["text"]] : [],
      );
      assert.deepEqual(shown, said);
    }),
  );
});

test("[W1] of what has ended nothing is remembered", () => {
  fc.assert(
    fc.property(journals, (events) => {
      const state = webuiDialect.begin();
      emitted(events, { state });
      const { runs, approvals, questions } = state;
      if (!events.some(({ terminal }) => terminal)) return;
      assert.deepEqual({ runs, approvals, questions }, { runs: {}, approvals: {}, questions: {} });
    }),
  );
});
