import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createDemo } from "./demo.ts";
import {
  ModelError,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
} from "../../../kernel/run/models/model.ts";

const NAMES = ["read", "write", "exec", "clarify", "plan", "delegate", "todo"];

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(" "));
const line = fc.oneof(
  words.map((text) => `say ${text}`),
  words.map((text) => `think ${text}`),
  fc.nat(5).map((upTo) => `count ${upTo}`),
  word.map((path) => `read ${path}`),
  words.map((text) => `write note.md ${text}`),
  words.map((text) => `exec ${text}`),
  words.map((text) => `clarify ${text} | yes | no`),
  words.map((text) => `plan ${text}; one; two`),
  fc.constantFrom("plan done", "step 1", "step 2", "together", "end", "pace 0"),
  words.map((text) => `delegate Scout: say ${text} ;; say bye`),
  words.map((text) => `todo ${text}; more`),
  words.map((text) => `fail ${text}`),
  words,
);
const scripts = fc
  .array(line, { maxLength: 12 })
  .map((lines) => ["say start", ...lines].join("\n"));
const toolSets = fc
  .subarray(NAMES)
  .map((names) => names.map((name) => ({ name, description: name, inputSchema: {} })));
const steers = fc.array(fc.constantFrom("Hurry up", "Not so fast"), { maxLength: 2 });

type ToolCall = Extract<ModelPart, { type: "tool_call" }>;
type Played = { parts: ModelPart[]; failed: boolean };

async function playTurn(request: ModelRequest): Promise<Played> {
  const parts: ModelPart[] = [];
  try {
    const model = createDemo({ delayMs: 0 }); // a new process knows nothing but the messages
    for await (const part of model.stream(request, new AbortController().signal)) parts.push(part);
    return { parts, failed: false };
  } catch (error) {
    assert.ok(error instanceof ModelError);
    return { parts, failed: true };
  }
}

/** What a runner adds to the conversation after a turn. */
function messagesAfter(parts: readonly ModelPart[], isError: boolean): ModelMessage[] {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const toolCalls = parts
    .filter((part) => part.type === "tool_call")
    .map(({ providerCallId, name, argumentsText }) => {
      return { callId: `call-${providerCallId}`, name, argumentsText };
    });
  const results = toolCalls.map(({ callId, name }): ModelMessage => {
    return { role: "tool", callId, name, text: "done", isError };
  });
  return [{ role: "assistant", text, toolCalls }, ...results];
}

type Run = { script: string; tools: ModelRequest["tools"]; steers: string[]; isError: boolean };

async function callsWith({ script, tools, steers: said, isError }: Run): Promise<ToolCall[]> {
  const messages: ModelMessage[] = [{ role: "user", text: script }];
  const calls: ToolCall[] = [];
  for (;;) {
    const played = await playTurn({ messages: [...messages], tools, runId: "r1" });
    calls.push(...played.parts.filter((part) => part.type === "tool_call"));
    if (isLast(played)) return calls;
    messages.push(...messagesAfter(played.parts, isError));
    messages.push(...said.map((text): ModelMessage => ({ role: "user", text })));
  }
}

function isLast({ parts, failed }: Played): boolean {
  return failed || parts.some((part) => part.type === "finish" && part.reason === "stop");
}

test("[design 10] a runner that dies after or during any turn gets the same continuation", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, toolSets, fc.boolean(), async (script, tools, isError) => {
      const messages: ModelMessage[] = [{ role: "user", text: script }];
      const limit = script.split("\n").length * 2 + 2;
      for (let turn = 0; ; turn += 1) {
        assert.ok(turn < limit, "the script never ends");
        const request = { messages: [...messages], tools, runId: "r1" };
        const played = await playTurn(request);
        const again = await playTurn({ ...request, runId: "r1-elsewhere" });
        assert.deepEqual(again, played);
        if (isLast(played)) return;
        messages.push(...messagesAfter(played.parts, isError));
      }
    }),
  );
});

test("[design 13] every call in a script is made once, in order", async () => {
  const tools = NAMES.map((name) => ({ name, description: name, inputSchema: {} }));
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const lines = script.split("\n");
      const failAt = lines.findIndex((text) => text.startsWith("fail "));
      const expected = (failAt === -1 ? lines : lines.slice(0, failAt))
        .map((text) => text.split(" ", 1)[0] ?? "")
        .filter((keyword) => NAMES.includes(keyword) && keyword !== "plan");

      const calls = await callsWith({ script, tools, steers: [], isError: false });

      assert.deepEqual(
        calls.map(({ name }) => name).filter((name) => name !== "plan"),
        expected,
      );
    }),
  );
});

test("[design 10] what a person or a failing tool says in between changes no call", async () => {
  const calm = scripts.filter((script) => !script.includes("\nfail ")); // a failure ends the run
  await fc.assert(
    fc.asyncProperty(calm, toolSets, steers, fc.boolean(), async (script, tools, said, isError) => {
      assert.deepEqual(
        await callsWith({ script, tools, steers: said, isError }),
        await callsWith({ script, tools, steers: [], isError: false }),
      );
    }),
  );
});
