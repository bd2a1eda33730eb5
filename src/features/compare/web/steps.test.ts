import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal, type AnyDraft } from "../../../../test/support/events.ts";
import { folded } from "../../../kernel/client/sessions/store.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { align } from "./align.ts";
import { runChoices, suggestedFor } from "../../../web/session/runs/choices.ts";
import { stepsOf } from "./steps.ts";
import { totalsOf } from "./totals.ts";
import { pathOf, routeOf, type Route } from "../../../web/use-route.ts";

test("[UX] a comparison has an address, and the address leads back to it", () => {
  const page = { page: "session", sessionId: "s", runId: "r", view: "compare" } as const;
  const route: Route = { ...page, with: "r2" };
  assert.deepEqual(routeOf(pathOf(route)), route);
});

const fold = (events: readonly RunEvent[]) => folded.apply(folded.empty("s1"), events);
const recorded = (name: string): RunEvent[] =>
  readFileSync(
    join(import.meta.dirname, `../../../../test/journals/sessions/${name}.events.jsonl`),
    "utf8",
  )
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);
const BEGUN: AnyDraft[] = [d.userMessage("Go"), d.queued, d.started(), d.turnStarted(1)];
const steps = (...drafts: AnyDraft[]) =>
  stepsOf(fold(seal("r1", [...BEGUN, ...drafts])).runs, "r1");
const call = (args: Record<string, unknown>, status?: "failed"): AnyDraft[] => {
  const intent = d.intent("c1");
  const payload = { ...intent.payload, plan: { tool: "exec", arguments: args, workspace: "/w" } };
  return [{ type: "tool.intent", payload }, d.toolStarted("c1"), d.toolDone("c1", status)];
};

test("[UX] a run is its messages, words, calls and its end; a cut attempt counts for nothing", () => {
  const all = steps(
    d.token("m1", "Half"),
    d.superseded(1),
    d.turnStarted(1, 2),
    d.token("m2", "Whole"),
    d.said("m2", "Whole", "t1.2"),
    ...call({ command: "ls" }),
    d.done(12),
  );
  assert.deepEqual(
    all.map(({ label, turn }) => [label, turn]),
    [
      ["Go", null],
      ["Whole", 1],
      ["ls", 1],
      ["End of the run", null],
    ],
  );
});

test("[UX] the order of arguments is no difference; another value and another outcome are", () => {
  const kinds = (left: AnyDraft[], right: AnyDraft[]) =>
    align(steps(...left), steps(...right)).map(({ kind }) => kind);
  assert.deepEqual(kinds(call({ a: 1, b: [2] }), call({ b: [2], a: 1 })), ["same", "same"]);
  assert.deepEqual(kinds(call({ a: 1 }), call({ a: 2 })), ["same", "changed"]);
  assert.deepEqual(kinds(call({ a: 1 }), call({ a: 1 }, "failed")), ["same", "changed"]);
});

test("[UX] what a subagent did stands where it was asked for, and counts in the totals", () => {
  const events = recorded("subagents");
  const { runs } = fold(events);
  const runId = events.find(({ type }) => type === "run.queued")?.run_id ?? "";
  const all = stepsOf(runs, runId);
  const first = all.findIndex(({ depth }) => depth === 1);
  assert.match(all[first - 1]?.slot ?? "", /tool delegate/);
  assert.ok(all.some(({ label }) => label === "End of the subagent"));
  const totals = totalsOf(runs, runId);
  const own = runs[runId];
  assert.ok(totals && own);
  assert.ok(totals.turns > own.turns && totals.subagents >= 2);
  assert.ok((totals.tokens ?? 0) > (own.usage.total_tokens ?? 0));
  assert.equal(totalsOf(runs, "nobody"), null);
});

test("[UX] undone runs can be chosen, subagents not; the attempt before is suggested first", () => {
  const { session, runs } = fold(recorded("rewind"));
  const choices = runChoices({ session, runs });
  assert.ok(choices.some(({ rewound }) => rewound));
  const parents = runChoices(fold(recorded("subagents")));
  assert.ok(parents.length > 0 && parents.every(({ runId }) => !runId.includes(".")));
  assert.deepEqual(
    choices.map(({ number }) => number),
    choices.map((_, at) => at + 1),
  );
  const choice = (runId: string, rewound: boolean) => ({ ...choices[0], runId, rewound }) as never;
  const four = [choice("a", false), choice("b", true), choice("c", false), choice("d", false)];
  const suggested = ["a", "b", "c", "d", "nobody"].map((id) => suggestedFor(four, id)?.runId);
  assert.deepEqual(suggested, [undefined, "c", "b", "c", undefined]);
});
