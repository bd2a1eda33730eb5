import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Price } from "../models/model.ts";
import { costOf, type UsagePart } from "./usage.ts";

const count = fc.integer({ min: 0, max: 2_000_000 });
const usd = fc.integer({ min: 0, max: 10_000 }).map((cents) => cents / 100);
const rates = { input: usd, output: usd, cachedInput: usd, cacheWrite: usd };
const price: fc.Arbitrary<Price> = fc.record(
  { ...rates, longPrompt: fc.record({ ...rates, above: count }) },
  { requiredKeys: ["input", "output"] },
);
const usage: fc.Arbitrary<UsagePart> = fc
  .record({ fresh: count, cached: count, written: count, output: count })
  .map(({ fresh, cached, written, output }) => ({
    type: "usage",
    inputTokens: fresh + cached + written,
    outputTokens: output,
    reasoningTokens: null,
    cachedTokens: cached,
    cacheWriteTokens: written,
  }));

const close = (a: number | null, b: number) => {
  assert.ok(a !== null && Math.abs(a - b) <= 1e-9 * Math.max(1, b), `${a} is not ${b}`);
};

test("[issue 3] a cost is the sum of its kinds of tokens, each at its own rate", () => {
  fc.assert(
    fc.property(usage, price, (used, rate) => {
      const input = used.inputTokens ?? 0;
      const cached = used.cachedTokens ?? 0;
      const written = used.cacheWriteTokens ?? 0;
      const at = rate.longPrompt && input > rate.longPrompt.above ? rate.longPrompt : rate;
      const sum =
        (input - cached - written) * at.input +
        cached * (at.cachedInput ?? at.input) +
        written * (at.cacheWrite ?? at.input) +
        (used.outputTokens ?? 0) * at.output;
      close(costOf(used, rate), sum / 1e6);
    }),
  );
});

test("[issue 3] without cache and tiers a cost is linear and never negative, whatever a provider reports", () => {
  fc.assert(
    fc.property(count, count, usd, usd, (input, output, perInput, perOutput) => {
      const rate = { input: perInput, output: perOutput };
      const plain = { type: "usage", reasoningTokens: null, cachedTokens: null } as const;
      const once = costOf({ ...plain, inputTokens: input, outputTokens: output }, rate);
      const twice = costOf({ ...plain, inputTokens: 2 * input, outputTokens: 2 * output }, rate);
      close(twice, 2 * (once ?? Number.NaN));
    }),
  );
  fc.assert(
    fc.property(count, count, count, count, price, (input, output, cached, written, rate) => {
      const lie = { inputTokens: input, cachedTokens: cached, cacheWriteTokens: written };
      const cost = costOf(
        { type: "usage", outputTokens: output, reasoningTokens: null, ...lie },
        rate,
      );
      assert.ok(cost !== null && cost >= 0);
    }),
  );
});

test("[issue 3] a cost nobody can know is null, never zero", () => {
  const rate = { input: 1, output: 1 };
  const used = { type: "usage", reasoningTokens: null, cachedTokens: 1 } as const;
  assert.equal(costOf(undefined, rate), null);
  assert.equal(costOf({ ...used, inputTokens: 1, outputTokens: 1 }, null), null);
  assert.equal(costOf({ ...used, inputTokens: null, outputTokens: 1 }, rate), null);
  assert.equal(costOf({ ...used, inputTokens: 1, outputTokens: null }, rate), null);
  assert.equal(costOf({ ...used, inputTokens: 1, outputTokens: 1 }, { input: 0, output: 0 }), 0);
});

test("[issue 3] what a Claude call with a cold and a warm cache costs, by hand", () => {
  const rate = { input: 5, output: 25, cachedInput: 0.5, cacheWrite: 6.25 };
  const base = { type: "usage", outputTokens: 1_000, reasoningTokens: null } as const;
  const cold = { ...base, inputTokens: 20_100, cachedTokens: 0, cacheWriteTokens: 20_000 };
  const warm = { ...base, inputTokens: 20_600, cachedTokens: 20_000, cacheWriteTokens: 500 };
  close(costOf(cold, rate), 0.0005 + 0.125 + 0.025);
  close(costOf(warm, rate), 0.0005 + 0.01 + 0.003125 + 0.025);
});
