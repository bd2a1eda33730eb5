import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { editable, edited, planText } from "./plan-text.ts";

const call = (given: unknown) => ({ plan: { arguments: given } }) as ToolItem;

test("[S] a plan is its command alone, or every argument there is", () => {
  assert.equal(planText(call({ command: "ls" })), "ls");
  assert.match(planText(call({ command: "ls", network: true })), /"network": true/);
});

test("[S] editing a command keeps the other arguments, and an empty one is refused", () => {
  const tool = call({ command: "ls", network: true });
  const start = editable(tool);
  assert.deepEqual(start, { as: "command", text: "ls" });
  assert.deepEqual(edited(tool, { ...start, text: "pwd" }), {
    ok: true,
    arguments: { command: "pwd", network: true },
  });
  assert.equal(edited(tool, { ...start, text: " \n" }).ok, false);
});

test("[S] what cannot be seen is edited as JSON, and what is not JSON is refused", () => {
  const tool = call({ command: "echo \u200b" });
  const start = editable(tool);
  assert.equal(start.as, "json");
  assert.deepEqual(edited(tool, start), { ok: true, arguments: { command: "echo \u200b" } });
  assert.equal(edited(tool, { ...start, text: "{" }).ok, false);
});
