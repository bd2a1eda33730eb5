import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ModelMessage } from "../model.ts";
import { keep } from "../provider/data.ts";
import { toPrompt } from "./prompt.ts";

const options = { model: "p/m", strictIds: true };

function called(callIds: readonly string[]): ModelMessage[] {
  const toolCalls = callIds.map((callId) => ({ callId, name: "read", argumentsText: "{}" }));
  const results = callIds.map((callId): ModelMessage => {
    return { role: "tool", callId, name: "read", text: callId, isError: false };
  });
  return [{ role: "assistant", text: "", toolCalls }, ...results];
}

function idsOf(messages: readonly ModelMessage[]) {
  const prompt = toPrompt(messages, options);
  const calls = prompt.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []))
      : [],
  );
  const results = prompt.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []))
      : [],
  );
  return { calls, results };
}

test("[issue 3] runs of a session repeat our call ids; in a request each is unique and its result follows it", () => {
  const { calls, results } = idsOf([
    ...called(["t1.1.c0", "t1.1.c1"]),
    ...called(["t1.1.c0"]),
    ...called(["t1.1.c0"]),
  ]);
  assert.deepEqual(calls, ["t1-1-c0", "t1-1-c1", "t1-1-c0-2", "t1-1-c0-3"]);
  assert.deepEqual(results, calls);
});

test("[issue 3] any ids: unique, made of safe characters, and results in the order of their calls", () => {
  const turn = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 80 }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 6 }), (turns) => {
      const { calls, results } = idsOf(turns.flatMap(called));
      assert.equal(new Set(calls).size, calls.length);
      assert.ok(
        calls.every((id) => /^[\w-]{1,64}$/.test(id)),
        calls.join(" "),
      );
      assert.deepEqual(results, calls);
    }),
  );
});

test("[issue 3] pieces of an answer return to their places, and data nobody here wrote is left out", () => {
  const reasoning = [
    { text: "second", providerData: keep({ at: 5, order: 3, metadata: { p: { s: "B" } } }) },
    { text: "first", providerData: keep({ at: 0, order: 1, metadata: { p: { s: "A" } } }) },
    { text: "foreign", providerData: { something: "else" } },
  ];
  const toolCalls = [
    { callId: "c0", name: "read", argumentsText: "{}", providerData: keep({ at: 5, order: 2 }) },
    { callId: "c1", name: "read", argumentsText: "{}", providerData: keep({ at: 99, order: 4 }) },
  ];
  const message: ModelMessage = {
    role: "assistant",
    text: "Hello!",
    model: "p/m",
    reasoning,
    toolCalls,
  };
  const [own] = toPrompt([message], options);
  const shape = (prompt: typeof own) =>
    prompt?.role === "assistant" &&
    prompt.content.map((part) =>
      "text" in part ? part.text : "toolCallId" in part ? part.toolCallId : "",
    );
  assert.deepEqual(shape(own), ["first", "Hello", "c0", "second", "!", "c1"]);

  const [others] = toPrompt([{ ...message, model: "p/other" }], options);
  assert.deepEqual(shape(others), ["Hello!", "c0", "c1"]);
  assert.deepEqual(toPrompt([{ ...message, text: "", toolCalls: [] }], options), []);
});

test("[issue 3, B3] roles alternate, nothing is blank, and a name that was never a tool spoils nothing", () => {
  const toolCalls = [{ callId: "c0", name: "functions.exec:1", argumentsText: "{}" }];
  const prompt = toPrompt(
    [
      { role: "user", text: "one" },
      { role: "user", text: "two" },
      { role: "assistant", text: "\n\n", toolCalls },
      { role: "tool", callId: "c0", name: "functions.exec:1", text: "no", isError: true },
      { role: "assistant", text: "half an", toolCalls: [] },
      { role: "assistant", text: "[This run ended early]", toolCalls: [] },
      { role: "user", text: " " },
    ],
    options,
  );
  const text = (value: string) => ({ type: "text", text: value });
  assert.deepEqual(
    prompt.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant", "user"],
  );
  assert.deepEqual(prompt[0]?.content, [text("one\n\ntwo")]);
  const [call] = (prompt[1]?.content ?? []) as { toolName: string }[];
  assert.equal(call?.toolName, "functions_exec_1", "and no blank text before it");
  assert.deepEqual(prompt[3]?.content, [text("half an"), text("[This run ended early]")]);
  assert.deepEqual(prompt[4]?.content, [text("[an empty message]")]);
});

test("[BR5b, BR5c] pictures that calls took follow all results of their step, which stay together", () => {
  const call = (callId: string) => ({ callId, name: "browser_screenshot", argumentsText: "{}" });
  const result = (callId: string) =>
    ({ role: "tool", callId, name: "browser_screenshot", text: "taken", isError: false }) as const;
  const file = { name: "s.png", mediaType: "image/png", data: Uint8Array.of(1) };
  const step = { role: "assistant", text: "", toolCalls: [call("c0"), call("c1")] } as const;
  const seen = { ...result("c0"), attached: [{ text: "[s.png]", file }] };
  const words = { ...result("c1"), attached: [{ text: "[s.png: this model cannot read it]" }] };
  const prompt = toPrompt([{ role: "user", text: "go" }, step, seen, words], options);
  assert.deepEqual(
    prompt.map(({ role }) => role),
    ["user", "assistant", "tool", "user"],
  );
  assert.match(JSON.stringify(prompt[2]), /taken\\n\[s\.png: this model cannot read it\]/);
  const shown = (prompt[3]?.content ?? []) as { type: string }[];
  const kinds = shown.map(({ type }) => type);
  assert.deepEqual(kinds, ["text", "file"], "one picture: the other is only named");
  const blind = toPrompt([{ role: "user", text: "go" }, step, result("c0"), words], options);
  assert.equal(blind.at(-1)?.role, "tool", "nobody says anything where there is no picture");
});

test("[UX] files stand behind the words they came with, also when messages are joined", () => {
  const file = (name: string) => ({
    name,
    mediaType: "image/png",
    data: Uint8Array.of(1, 2, 3),
  });
  const [message, ...rest] = toPrompt(
    [
      { role: "user", text: "one", attached: [{ text: "[a]", file: file("a.png") }] },
      { role: "user", text: "two", attached: [{ text: "[b]" }] },
    ],
    options,
  );
  assert.deepEqual(rest, []);
  const data = { type: "data", data: Uint8Array.of(1, 2, 3) };
  assert.deepEqual(message?.content, [
    { type: "text", text: "one\n\n[a]\n\ntwo\n\n[b]" },
    { type: "file", mediaType: "image/png", filename: "a.png", data },
  ]);
});
