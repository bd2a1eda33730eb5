// The ledger against the run's own fold: the same sums at every moment, turn by turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecordings } from "../../../test/support/recordings/session-recordings.ts";
import { createRecording } from "../../kernel/client/recording.ts";
import { folded } from "../../kernel/client/sessions/store.ts";
import type { Usage } from "../../kernel/events/catalogue/lifecycle.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { emptyRun, NO_USAGE } from "../../kernel/state/run/state.ts";
import { toArray } from "../../kernel/state/vector.ts";
import { isUnpriced, ledgerFold, limitsOf, runTree, sumUsage } from "./ledger.ts";

const used = (more: Partial<Usage>): Usage => ({ ...NO_USAGE, ...more });

function recordings() {
  return readRecordings().map(({ name, events }) => {
    const known = events as readonly RunEvent[];
    const recording = createRecording(known[0]?.session_id ?? "");
    for (const event of known) recording.append(event);
    return { name, events: known, recording };
  });
}

test("[V2] what the turns used is what the run used, at every moment", () => {
  let turns = 0;
  for (const { name, events, recording } of recordings()) {
    for (let moment = 0; moment <= events.length; moment += 1) {
      const { runs } = recording.fold(folded, moment);
      const ledger = recording.fold(ledgerFold, moment);
      for (const run of Object.values(runs)) {
        const known = ledger[run.runId];
        const parts = known ? [...toArray(known.turns).map(({ usage }) => usage), known.aside] : [];
        assert.deepEqual(sumUsage(parts), run.usage, `${name} at ${moment}`);
        turns += known?.turns.length ?? 0;
      }
    }
  }
  assert.ok(turns > 0);
});

test("[V2] begin, end, calls and recoveries are those of the journal", () => {
  for (const { name, events, recording } of recordings()) {
    const ledger = recording.fold(ledgerFold, events.length);
    for (const [runId, run] of Object.entries(ledger)) {
      const own = events.filter(({ run_id }) => run_id === runId);
      const first = (type: string) => own.find((event) => event.type === type)?.created_at ?? null;
      assert.equal(run.startedAt, first("run.started"), name);
      assert.equal(run.endedAt, first("done"), name);
      const count = (type: string) => own.filter((event) => event.type === type).length;
      assert.equal(run.toolCalls, count("tool.started"), name);
      assert.equal(run.recoveries.length, count("recovery"), name);
      for (const turn of toArray(run.turns)) {
        assert.equal(
          events.find((e) => e.run_id === runId && e.seq === turn.seq)?.type,
          "turn.started",
        );
        if (run.endedAt !== null)
          assert.ok(turn.endedAt !== null && turn.endedAt >= turn.startedAt);
      }
      const indexes = toArray(run.turns).map(({ index }) => index);
      assert.deepEqual(indexes, [...new Set(indexes)], "a turn that was asked again is one turn");
    }
  }
});

test("[UX] a turn that was cut and asked again is one turn, and both attempts were paid for", () => {
  let seq = 0;
  const event = (type: string, payload: object) => {
    seq += 1;
    const ids = { run_id: "r", session_id: "s", event_id: `r:${seq}`, epoch: "e" };
    const chain = { prev_hash: "", hash: "", terminal: false };
    return { ...ids, ...chain, seq, session_seq: seq, created_at: seq, type, payload } as RunEvent;
  };
  const paid = (turn_id: string) =>
    event("usage.updated", { turn_id, ...used({ input_tokens: 10, cost_usd: 1 }) });
  const turn = (attempt: number) => ({ turn_id: `t1.${attempt}`, index: 1, attempt, model: "m" });
  const cut = [
    event("run.started", {}),
    event("turn.started", turn(1)),
    paid("t1.1"),
    event("turn.superseded", { turn_id: "t1.1", reason: "runner_lost", message: "" }),
  ];
  const halfway = ledgerFold.apply(ledgerFold.empty("s"), cut)["r"];
  assert.equal(halfway && toArray(halfway.turns)[0]?.endedAt, 4);
  const again = [
    event("run.started", {}),
    event("turn.started", turn(2)),
    paid("t1.2"),
    paid("title"),
  ];
  const run = ledgerFold.apply(ledgerFold.apply(ledgerFold.empty("s"), cut), again)["r"];
  assert.ok(run);
  assert.equal(run.startedAt, 1, "it began when it first did");
  const usage = used({ input_tokens: 20, cost_usd: 2 });
  const entry = { index: 1, seq: 2, attempts: 2, model: "m", startedAt: 2, endedAt: null, usage };
  assert.deepEqual(toArray(run.turns), [entry]);
  assert.deepEqual(run.aside, used({ input_tokens: 10, cost_usd: 1 }));
});

test("[UX] events that say nothing about it keep its identity", () => {
  const [first] = recordings();
  const words = first?.events.find(({ type }) => type === "token.delta" || type === "tool.intent");
  assert.ok(words);
  const before = ledgerFold.empty("s");
  assert.equal(ledgerFold.apply(before, [words]), before);
});

test("[UX] a sum knows what it does not know", () => {
  assert.deepEqual(sumUsage([]), NO_USAGE);
  const sum = sumUsage([used({ input_tokens: 1 }), used({ input_tokens: 2, cost_usd: 0.5 })]);
  assert.deepEqual(sum, used({ input_tokens: 3, cost_usd: 0.5 }));
  assert.equal(isUnpriced([used({ total_tokens: 5 }), used({ cost_usd: 1 })]), true);
  assert.equal(isUnpriced([used({ total_tokens: 5, cost_usd: 0 }), NO_USAGE]), false);
});

test("[B] limits count subagents, and what people granted", () => {
  const budget = { tokens: 100, cost_usd: null, wall_s: 60, tool_calls: 3 };
  const root = {
    ...emptyRun("r"),
    budget,
    budgetRaises: 1,
    activeSeconds: 30,
    usage: used({ total_tokens: 70 }),
  };
  const child = { ...emptyRun("c"), rootRunId: "r", usage: used({ total_tokens: 20 }) };
  const other = { ...emptyRun("o"), usage: used({ total_tokens: 1_000 }) };
  const tree = runTree({ r: root, c: child, o: other }, "r");
  const calls = (toolCalls: number) => ({
    startedAt: null,
    endedAt: null,
    turns: { length: 0, shift: 5, root: [], tail: [] },
    aside: NO_USAGE,
    toolCalls,
    recoveries: [],
  });
  assert.deepEqual(limitsOf(root, tree, { r: calls(2), c: calls(1), o: calls(9) }), [
    { kind: "tokens", used: 90, limit: 200 },
    { kind: "wall_s", used: 30, limit: 120 },
    { kind: "tool_calls", used: 3, limit: 6 },
  ]);
  assert.deepEqual(limitsOf(emptyRun("r"), [], {}), []);
});
