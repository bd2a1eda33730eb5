// A run as clients of `/v1/runs` are told of it, where the recordings beside test/dialects say too little.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal, type AnyDraft } from "../../../../test/support/events.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import { v1RunsDialect } from "./runs.ts";

const framesOf = (drafts: readonly AnyDraft[]) => {
  const state = v1RunsDialect.begin();
  return seal("r1", drafts).flatMap((event) =>
    encode(v1RunsDialect, event, state, { replay: false }),
  );
};

test("[W6] texts of several steps stand apart; a tool has its arguments as args, and a preview at its end", () => {
  const quiet = d.toolDone("c1") as Extract<AnyDraft, { type: "tool.done" }>;
  const output = { ...quiet.payload.output, head: "", tail: "", bytes: 0 };
  const frames = framesOf([
    d.queued,
    d.started(),
    d.turnStarted(1),
    d.token("m1.1", "I will "),
    d.token("m1.1", "look."),
    d.said("m1.1", "I will look."),
    d.intent("c1"),
    d.toolStarted("c1"),
    { ...quiet, payload: { ...quiet.payload, output } },
    d.turnStarted(2),
    d.token("m2.1", "Done."),
    d.said("m2.1", "Done."),
  ]);
  const deltas = frames.filter(({ event }) => event === "message.delta");
  assert.equal(deltas.map(({ delta }) => String(delta)).join(""), "I will look.\n\nDone.");
  const [begun, ended] = frames.filter(({ event }) => event.startsWith("tool."));
  assert.deepEqual(begun?.["args"], begun?.["arguments"]);
  assert.ok(begun?.["args"]);
  assert.equal(ended?.["preview"], begun["preview"], "without any output: what was done");
});

test("[W1] a call that is tried again after a recovery is no second call", () => {
  const before = [d.queued, d.started(), d.turnStarted(1), d.intent("c1"), d.toolStarted("c1")];
  const again = [d.recovery(1), d.toolStarted("c1", 2), d.toolDone("c1")];
  const frames = framesOf([...before, ...again]);
  const tools = frames.filter(({ event }) => event.startsWith("tool."));
  assert.deepEqual(
    tools.map(({ event }) => event),
    ["tool.started", "tool.restarted", "tool.completed"],
  );
  assert.equal(new Set(tools.map(({ tool_call_id }) => tool_call_id)).size, 1);
  const { run_id, timestamp: _, ...restarted } = tools[1] ?? {};
  const tool_call_id = `${String(run_id)}.c1`;
  assert.deepEqual(restarted, { event: "tool.restarted", tool: "exec", tool_call_id, attempt: 2 });
});
