import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deltaChunk,
  finish,
  startModelServer,
  toolCallChunk,
  type ReplyStep,
} from "../../../../../test/support/models/model-server.ts";
import { ModelError, type ModelRequest } from "../model.ts";
import { createOpenAiCompatible } from "./compatible.ts";

const request: ModelRequest = { messages: [{ role: "user", text: "Hi" }], tools: [], runId: "r1" };

async function play(steps: readonly ReplyStep[]) {
  await using server = await startModelServer([steps]);
  const { baseUrl } = server;
  const model = createOpenAiCompatible({ provider: "p", id: "m", baseUrl, idleTimeoutMs: 30_000 });
  return await Array.fromAsync(model.stream(request, new AbortController().signal));
}

/** The calls as `name(arguments)`, after checking that their ids differ. */
async function callsOf(steps: readonly ReplyStep[]): Promise<string[]> {
  const calls = (await play(steps)).filter((part) => part.type === "tool_call");
  assert.equal(new Set(calls.map((call) => call.providerCallId)).size, calls.length);
  return calls.map(({ name, argumentsText }) => `${name}(${argumentsText})`);
}

const end = finish("tool_calls");

test("[B3] parallel calls are collected from interleaved fragments", async () => {
  const parts = await play([
    toolCallChunk(0, "a", "read", ""),
    toolCallChunk(1, "b", "write", ""),
    toolCallChunk(0, null, null, '{"path":'),
    toolCallChunk(1, null, null, '{"path":"y"'),
    toolCallChunk(0, null, null, '"x"}'),
    toolCallChunk(1, null, null, "}"),
    end,
  ]);

  assert.deepEqual(parts, [
    { type: "tool_call", providerCallId: "a", name: "read", argumentsText: '{"path":"x"}' },
    { type: "tool_call", providerCallId: "b", name: "write", argumentsText: '{"path":"y"}' },
    { type: "finish", reason: "tool_calls" },
  ]);
});

test("[B3] broken arguments are passed on as they are, not repaired", async () => {
  const calls = await callsOf([
    toolCallChunk(0, "a", "read", '{"path": '),
    toolCallChunk(1, "b", "read", "rm -rf"),
    toolCallChunk(2, "c", "read", ""),
    end,
  ]);
  assert.deepEqual(calls, ['read({"path": )', "read(rm -rf)", "read()"]);
});

test("[B3] calls that repeat an id stay separate calls", async () => {
  const one = '{"n":1}';
  const two = '{"n":2}';
  for (const [first, second] of [
    [toolCallChunk(0, "a", "read", one), toolCallChunk(1, "a", "read", two)],
    [toolCallChunk(0, "a", "read", one), toolCallChunk(0, "a", "read", two)],
    [toolCallChunk(null, "a", "read", one), toolCallChunk(null, "a", "read", two)],
    [toolCallChunk(0, "", "read", one), toolCallChunk(1, "", "read", two)],
  ] as const) {
    assert.deepEqual(await callsOf([first, second, end]), ['read({"n":1})', 'read({"n":2})']);
  }
});

test("[B3] servers that repeat names, change ids or send the name late are understood", async () => {
  for (const steps of [
    [toolCallChunk(0, "a", "read", ""), toolCallChunk(0, "a", "read", '{"n":1}')],
    [toolCallChunk(0, "a", "read", '{"n"'), toolCallChunk(0, "b", null, ":1}")],
    [toolCallChunk(0, "a", null, '{"n"'), toolCallChunk(0, null, "read", ":1}")],
  ]) {
    assert.deepEqual(await callsOf([...steps, end]), ['read({"n":1})']);
  }
});

test("[B3] what the SDK would drop or hand to another call is an error", async () => {
  const cases: Record<string, ReplyStep[]> = {
    "two ids merged into one call": [
      toolCallChunk(0, "a", "now", ""),
      toolCallChunk(0, "b", "now", ""),
    ],
    "orphaned arguments given to the only open call": [
      toolCallChunk(0, "a", "now", ""),
      toolCallChunk(1, null, null, '{"path":"/etc/passwd"}'),
    ],
    "a call without a name at all": [toolCallChunk(0, "a", null, "{}")],
    "a call with a blank name": [
      toolCallChunk(0, "a", "read", "{}"),
      toolCallChunk(1, "b", "", "{}"),
    ],
    "a blank name with its arguments later": [
      toolCallChunk(0, "a", "read", ""),
      toolCallChunk(1, "b", "", ""),
      toolCallChunk(1, null, null, "{}"),
    ],
    "a fragment that could belong to two calls": [
      toolCallChunk(0, "a", "read", "{"),
      toolCallChunk(1, "b", "read", "{"),
      toolCallChunk(null, null, null, "}"),
    ],
    "an index and an id that contradict each other": [
      toolCallChunk(0, "a", "read", ""),
      toolCallChunk(1, "b", "read", ""),
      toolCallChunk(0, "b", null, "{}"),
    ],
    "the old function_call, which the SDK does not read": [
      deltaChunk({ function_call: { name: "read", arguments: "{}" } }),
    ],
  };
  for (const [what, steps] of Object.entries(cases)) {
    await assert.rejects(
      play([...steps, end]),
      (error) => error instanceof ModelError && error.code === "malformed_output",
      what,
    );
  }
});

test("[B3] a server that says stop after tool calls still ends in tool_calls, length stays length", async () => {
  const call = toolCallChunk(0, "a", "read", "{}");
  assert.deepEqual((await play([call, finish("stop")])).at(-1), {
    type: "finish",
    reason: "tool_calls",
  });
  assert.deepEqual((await play([call, finish("length")])).at(-1), {
    type: "finish",
    reason: "length",
  });
});

test("[B3] arguments over 1 MiB and calls without number are refused", async () => {
  const fragment = toolCallChunk(0, null, null, "x".repeat(256 * 1024));
  const big = [toolCallChunk(0, "a", "write", ""), ...Array<ReplyStep>(5).fill(fragment)];
  const many = Array.from({ length: 300 }, (_, at) => toolCallChunk(at, `c${at}`, "now", ""));
  const nameless = Array.from({ length: 300 }, (_, at) => toolCallChunk(at, null, "now", ""));
  for (const steps of [big, many, nameless]) {
    await assert.rejects(play([...steps, end]), { code: "malformed_output" });
  }
});
