// A run as clients of `/v1/runs` are told of it, where the recordings beside test/dialects say too little.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import { seal } from "../../../test/support/events.ts";
import { encode } from "./dialect.ts";
import { v1RunsDialect } from "./v1-runs.ts";

test("[W1] a call that is tried again after a recovery is no second call", () => {
  const before = [d.queued, d.started(), d.turnStarted(1), d.intent("c1"), d.toolStarted("c1")];
  const again = [d.recovery(1), d.toolStarted("c1", 2), d.toolDone("c1")];
  const state = v1RunsDialect.begin();
  const frames = seal("r1", [...before, ...again]).flatMap((event) =>
    encode(v1RunsDialect, event, state, { replay: false }),
  );
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
