import assert from "node:assert/strict";
import { test } from "node:test";
import type { InsightFigures, InsightRow } from "../records.ts";
import { changeOf, isEmpty, MEASURES, shownValue, toCsv } from "./figures.ts";

const NOTHING: InsightFigures = {
  model_calls: 0,
  unpriced_calls: 0,
  model_errors: 0,
  model_ms: 0,
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cost_usd: 0,
  tool_calls: 0,
  tool_failures: 0,
  tool_ms: 0,
  runs: 0,
  failed_runs: 0,
  cancelled_runs: 0,
  run_ms: 0,
  events: 0,
};
const figures = (some: Partial<InsightFigures>): InsightFigures => ({ ...NOTHING, ...some });
const compared = (now: Partial<InsightFigures>, before: Partial<InsightFigures>) => ({
  totals: figures(now),
  previous: { from: "2026-01-01", to: "2026-01-02", totals: figures(before) },
});

test("[I2] a cost nobody knows reads as unknown, alone and beside what is known", () => {
  const cost = (some: Partial<InsightFigures>) => shownValue("cost", figures(some));
  assert.equal(cost({ cost_usd: null, model_calls: 2, unpriced_calls: 2 }), "unknown");
  assert.equal(cost({ cost_usd: 1.5, model_calls: 2, unpriced_calls: 1 }), "$1.50 + unknown");
  assert.equal(cost({ cost_usd: 1.5, model_calls: 2 }), "$1.50");
  assert.equal(cost({}), "$0");
});

test("[UX] changes are told in words, and only where there is something to compare", () => {
  const tokens = (now: number, before: number) =>
    changeOf("tokens", compared({ total_tokens: now }, { total_tokens: before }))?.text;
  assert.deepEqual(
    [tokens(150, 100), tokens(50, 100), tokens(100, 100), tokens(5, 0), tokens(5_000, 100)],
    ["50 % more", "50 % less", "no change", "new", "50 times as much"],
  );
  assert.equal(changeOf("cost", compared({ cost_usd: null }, { cost_usd: 1 })), null);
  assert.equal(
    changeOf("failures", compared({ failed_runs: 2 }, { tool_failures: 1 }))?.tone,
    "bad",
  );
  assert.equal(changeOf("failures", compared({}, { model_errors: 1 }))?.tone, "good");
  for (const measure of MEASURES) assert.equal(changeOf(measure, compared({}, {}))?.tone, "same");
});

test("[UX] nothing at all is told apart from nothing lately", () => {
  const view = (now: Partial<InsightFigures>, before: Partial<InsightFigures>) =>
    isEmpty(compared(now, before) as Parameters<typeof isEmpty>[0]);
  assert.equal(view({}, {}), true);
  assert.equal(view({ runs: 1 }, {}), false);
  assert.equal(view({}, { tool_calls: 1 }), false);
});

test("[S] a file for a spreadsheet has no formulas and no broken lines, and no cost where none is known", () => {
  const row = (key: string, some: Partial<InsightRow>): InsightRow => ({
    key,
    ...NOTHING,
    ...some,
  });
  const rows = [
    row("s1", { title: '=HYPERLINK("x")', cost_usd: null, total_tokens: 3 }),
    row("s2", { title: 'two\nlines, "quoted"' }),
  ];
  const [head = "", first = "", ...rest] = toCsv({ by: "session", rows, tools: [] }).split("\r\n");
  assert.match(head, /^session,title,total_tokens,input_tokens,output_tokens,cost_usd,/);
  assert.match(first, /^s1,"'=HYPERLINK\(""x""\)",3,0,0,,/);
  assert.equal(rest.join("\r\n").startsWith('s2,"two\nlines, ""quoted""",0'), true);
  const tools = [{ key: "-exec", calls: 2, failures: 1, denied: 0, ms: 5 }];
  assert.equal(
    toCsv({ by: "tool", rows: [], tools }),
    "tool,calls,failures,denied,ms\r\n'-exec,2,1,0,5\r\n",
  );
});
