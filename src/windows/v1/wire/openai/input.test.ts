// What is taken from a conversation, whichever of the two formats it comes in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../../../kernel/events/errors.ts";
import { chatInput } from "../chat/body.ts";
import { contentText, spokenIn } from "./input.ts";
import { responseInput, spokenOutputs } from "../responses/body.ts";

const none = new Set<never>();

test("[W6] the history, the rules and the new message are told apart", () => {
  const items = chatInput({
    messages: [
      { role: "system", content: "A" },
      { role: "user", content: "one" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "42" }] },
      { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
      { role: "developer", content: "" },
      { role: "user", content: "two" },
      { role: "system", content: "B" },
      { role: "user", content: "three" },
    ],
  });
  assert.deepEqual(spokenIn(items, none), {
    instructions: "A\n\nB",
    past: [
      { role: "user", text: "one" },
      { role: "assistant", text: "[called f({})]\n\n[result: 42]\n\nno" },
    ],
    now: ["two", "three"],
  });
});

test("[W6] items of a response are taken as they were given; answers are no part of the past", () => {
  const items = responseInput({
    input: [
      { role: "user", content: "look" },
      { type: "reasoning", id: "rs", summary: [] },
      { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call_output", call_id: "c1", output: "seen" },
      { type: "mcp_call", id: "m1", name: "write", arguments: "{}", output: "done" },
      { type: "mcp_approval_request", id: "ap" },
      { type: "mcp_approval_response", approval_request_id: "ap", approve: true, reason: "" },
      { type: "function_call_output", call_id: "cl", output: "left" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "go on" }] },
    ],
  });
  const answers = new Set(items.filter((item) => item.kind === "output" && item.callId === "cl"));
  assert.deepEqual(spokenIn(items, answers), {
    instructions: "",
    past: [
      { role: "user", text: "look" },
      {
        role: "assistant",
        text: '[called read({"path":"a"})]\n\n[result: seen]\n\n[called write({})]\n\n[result: done]',
      },
    ],
    now: ["go on"],
  });
  spokenOutputs(items, answers);
  assert.throws(() => spokenOutputs(items, none), /no call, and no question/);
});

test("[W6] what cannot be taken is refused by the place it stands at", () => {
  const refused = (content: unknown) => {
    try {
      contentText(content, "at");
      return "taken";
    } catch (error) {
      assert.ok(error instanceof ApiError);
      return (error.details as { issues: { path: string }[] }).issues[0]?.path;
    }
  };
  assert.equal(refused("text"), "taken");
  assert.equal(refused([]), "taken");
  assert.equal(refused(null), "at");
  assert.equal(refused([{ type: "text", text: "a" }, { type: "input_image" }]), "at.1");
  assert.equal(refused([{ type: "text", text: 7 }]), "at.0");
  assert.equal(refused(["text"]), "at.0");
});
