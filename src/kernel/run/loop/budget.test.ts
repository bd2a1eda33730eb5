import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Budget } from "../../events/catalogue/lifecycle.ts";
import { emptyRun } from "../../state/run/state.ts";
import { budgetOf, reached, remaining } from "./budget.ts";

const NONE: Budget = { tokens: null, cost_usd: null, wall_s: null, tool_calls: null };
const UNUSED = { tokens: 0, cost_usd: 0, wall_s: 0, tool_calls: 0 };

test("[R11] a run's own limits count before its profile's, each by itself", () => {
  const run = { ...emptyRun("r1"), budget: { ...NONE, tokens: 10 } };
  const profile = { ...NONE, tokens: 5, tool_calls: 3 };
  assert.deepEqual(budgetOf(run, profile), { ...NONE, tokens: 10, tool_calls: 3 });
  assert.equal(budgetOf(emptyRun("r1"), NONE), undefined);
});

test("[R11a] reaching a limit says which, and continuing grants the same again", () => {
  const budget = { ...NONE, tokens: 1_000, tool_calls: 2 };
  const used = { ...UNUSED, tokens: 1_000, tool_calls: 2 };
  assert.equal(reached(budget, { used: UNUSED, raises: 0, calls: 2, unpriced: false }), undefined);
  assert.equal(
    reached(budget, { used: UNUSED, raises: 0, calls: 3, unpriced: false }),
    "0 tool calls of 2 tool calls",
  );
  assert.equal(
    reached(budget, { used, raises: 0, calls: 0, unpriced: false }),
    "1,000 tokens of 1,000 tokens",
  );
  assert.equal(reached(budget, { used, raises: 1, calls: 2, unpriced: false }), undefined);
});

test("[R11] a limit of cost on a model without a price is asked about once, not silently void", () => {
  const budget = { ...NONE, cost_usd: 1 };
  const about = { used: UNUSED, calls: 0, unpriced: true };
  assert.equal(reached(budget, { ...about, raises: 0 }), "a model of unknown price");
  assert.equal(reached(budget, { ...about, raises: 1 }), undefined);
  assert.equal(reached({ ...NONE, tokens: 9 }, { ...about, raises: 0 }), undefined);
});

test("[R11d] subagents that start together never have more than what is left among them", () => {
  const amount = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(
      amount,
      fc.integer({ min: 0, max: 1_000_000 }),
      fc.integer({ min: 1, max: 8 }),
      (limit, tokens, ways) => {
        const budget = { ...NONE, tokens: limit };
        const share =
          remaining(budget, { used: { ...UNUSED, tokens }, raises: 0, ways }).tokens ?? 0;
        assert.ok(share >= 1, "a subagent can always ask");
        assert.ok(share * ways <= Math.max(limit - tokens, ways));
      },
    ),
  );
});
