import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { draftProblem } from "../../events/events.ts";
import { planHash } from "../../journal/admit/plan-hash.ts";
import { planCall } from "./plan-call.ts";
import { execTool } from "../tools/exec.ts";
import { defineForeignTool } from "../tools/tool.ts";
import { toolsetOf } from "../tools/toolset.ts";

const { tools } = toolsetOf([
  execTool,
  defineForeignTool({ ...execTool, name: "ours", internal: true }),
]);
const at = { turnId: "t1.1", index: 0, workspace: "/w", tools };
const call = (name: string, argumentsText: string) =>
  planCall({ providerCallId: "p", name, argumentsText }, at);
const failureOf = (name: string, text: string) => {
  const done = call(name, text).drafts[1];
  return done?.type === "tool.done" ? done.payload.error?.code : undefined;
};

test("[R3, C6] a call becomes an exact plan whose hash does not depend on the order of keys", () => {
  const [intent] = call("exec", '{"command":"ls"}').drafts;
  assert.ok(intent?.type === "tool.intent");
  assert.deepEqual(intent.payload.plan, {
    tool: "exec",
    arguments: { command: "ls" },
    workspace: "/w",
  });
  const plan = { tool: "x", workspace: "/w", arguments: { a: 1, b: [1, { c: 2, d: 3 }] } };
  const same = { arguments: { b: [1, { d: 3, c: 2 }], a: 1 }, workspace: "/w", tool: "x" };
  assert.equal(planHash(plan), planHash(same));
  assert.notEqual(planHash(plan), planHash({ ...plan, workspace: "/v" }));
});

test("[R7a, B3] unknown tools and broken arguments become failed calls, not crashes or guesses", () => {
  assert.equal(failureOf("rm", "{}"), "unknown_tool");
  assert.equal(failureOf("ours", '{"command":"ls"}'), "unknown_tool", "people's commands only");
  assert.equal(failureOf("exec", '{"command": "ls'), "invalid_arguments");
  assert.equal(failureOf("exec", '{"command": 5}'), "invalid_arguments");
  assert.equal(failureOf("exec", "[]"), "invalid_arguments");
  assert.equal(failureOf("exec", '{"command":"ls"}'), undefined);
});

test("[E3.13] arguments that a tool refuses are shown as they are, where they are an object", () => {
  const shown = (text: string) => {
    const [intent] = call("exec", text).drafts;
    return intent?.type === "tool.intent" ? intent.payload.plan.arguments : undefined;
  };
  assert.deepEqual(shown('{"command": 5}'), { command: 5 });
  assert.deepEqual(shown('{"command": "ls'), { raw: '{"command": "ls' });
  assert.deepEqual(shown("[]"), { raw: "[]" });
});

test("[B3, E8] whatever a model asks for can be written down", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (name, text) => {
      for (const draft of call(name, text).drafts) assert.equal(draftProblem(draft), undefined);
    }),
  );
});
