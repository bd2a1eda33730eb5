import assert from "node:assert/strict";
import { test } from "node:test";
import { createDemo } from "./demo.ts";
import type { ModelMessage, ModelPart, ModelRequest } from "../../../kernel/run/models/model.ts";

const TOOLS = ["read", "write", "exec", "clarify", "plan", "delegate", "todo"].map((name) => {
  return { name, description: name, inputSchema: {} };
});
const never = new AbortController().signal;
const user = (text: string): ModelMessage => ({ role: "user", text });
const called = (name: string): ModelMessage => {
  const toolCalls = [{ callId: "c1", name, argumentsText: "{}" }];
  return { role: "assistant", text: "", toolCalls };
};
const result = (name: string, isError = false): ModelMessage => {
  return { role: "tool", callId: "c1", name, text: "ok", isError };
};

function requestOf(messages: readonly ModelMessage[], tools = TOOLS): ModelRequest {
  return { messages, tools, runId: "r1" };
}

async function play(messages: readonly ModelMessage[], tools = TOOLS): Promise<ModelPart[]> {
  const model = createDemo({ delayMs: 0 });
  return Array.fromAsync(model.stream(requestOf(messages, tools), never));
}

function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

test("[design 13] a script streams thinking, text word by word, a call and usage", async () => {
  assert.deepEqual(await play([user("think so be it\nsay Hello there\nsay friend\nread a.txt")]), [
    { type: "reasoning", id: "think-0-0", text: "so " },
    { type: "reasoning", id: "think-0-0", text: "be " },
    { type: "reasoning", id: "think-0-0", text: "it" },
    { type: "reasoning_end", id: "think-0-0" },
    { type: "text", text: "Hello " },
    { type: "text", text: "there" },
    { type: "text", text: "\nfriend" },
    {
      type: "tool_call",
      providerCallId: "demo-0-0",
      name: "read",
      argumentsText: '{"path":"a.txt"}',
    },
    { type: "usage", inputTokens: 11, outputTokens: 6, reasoningTokens: 3, cachedTokens: null },
    { type: "finish", reason: "tool_calls" },
  ]);
});

test("[design 13] count streams exactly the numbers", async () => {
  const parts = await play([user("count 500")]);
  const numbers = Array.from({ length: 500 }, (_, at) => `${at + 1} `);
  assert.deepEqual(
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    numbers,
  );
  assert.deepEqual(parts.at(-1), { type: "finish", reason: "stop" });
});

test("[design 10] the assistant messages after the script say which turn comes next", async () => {
  const script = user("say one\nread a\nsay two\nread b\nsay three");
  const first = [script, called("read"), result("read")];
  const second = [...first, called("read"), result("read")];

  assert.equal(textOf(await play([script])), "one");
  assert.equal(textOf(await play(first)), "two");
  assert.equal(textOf(await play(second)), "three");
  const over = await play([...second, { role: "assistant", text: "three", toolCalls: [] }]);
  assert.deepEqual(
    over.filter(({ type }) => type !== "usage"),
    [{ type: "finish", reason: "stop" }],
  );
});

test("[design 13] a steer is noted once and the script goes on", async () => {
  const steered = [
    user("say one\nread a\nsay two\nread b"),
    called("read"),
    result("read"),
    user("Mind\nthe reef"),
  ];
  assert.equal(textOf(await play(steered)), "Noted: Mind the reef\ntwo");
  assert.equal(textOf(await play([...steered, called("read"), result("read")])), "");
});

test("[design 13] a failed tool is mentioned and the script goes on", async () => {
  const messages = [user("exec ls\nsay two"), called("exec"), result("exec", true)];
  assert.equal(textOf(await play(messages)), "That did not work (exec); I go on.\ntwo");
});

test("[design 13] a new script, or a prompt after the last answer, starts afresh", async () => {
  const running = [user("read a\nsay two"), called("read"), result("read")];
  assert.equal(textOf(await play([...running, user("say new")])), "new");

  const ended = [user("say one"), { role: "assistant", text: "one", toolCalls: [] } as const];
  assert.match(textOf(await play([...ended, user("What now?")])), /^You wrote “What now\?”/);
  assert.match(textOf(await play([user("fail no"), user("What now?")])), /^You wrote “What now\?”/);
});

test("[design 13] any other prompt is quoted, answered honestly and gets the tour", async () => {
  const parts = await play([user("Write me\na poem")]);
  assert.match(
    textOf(parts),
    /^You wrote “Write me a poem”; I am the scripted demo model, not a language model/,
  );
  assert.ok(parts.some((part) => part.type === "tool_call" && part.name === "plan"));
  const alone = await play([user("tour")]);
  assert.match(textOf(alone), /^Welcome aboard/);
});

test("[design 13] without its tools the demo says so and plays on in the same turn", async () => {
  const parts = await play([user("read a\nsay two")], []);
  assert.equal(textOf(parts), "There is no tool called read here, so I skip this step.\ntwo");
  assert.deepEqual(parts.at(-1), { type: "finish", reason: "stop" });
});

test("[design 13] fail throws an error nobody should retry, after the words before it", async () => {
  const texts: ModelPart[] = [];
  const failing = (async () => {
    for await (const part of createDemo({ delayMs: 0 }).stream(
      requestOf([user("say one\nfail The mast broke\nsay two")]),
      never,
    )) {
      texts.push(part);
    }
  })();

  await assert.rejects(failing, {
    name: "ModelError",
    message: "The mast broke",
    code: "bad_request",
    retryable: false,
  });
  assert.equal(textOf(texts), "one");
});

test("[X7] an abort interrupts the wait between two words, and a script without waits", async () => {
  for (const script of ["say one two", "pace 0\ncount 1000000"]) {
    const stop = new AbortController();
    const reason = new Error("cancelled");
    let words = 0;
    const reading = (async () => {
      const model = createDemo({ delayMs: 60_000 });
      for await (const _ of model.stream(requestOf([user(script)]), stop.signal)) {
        words += 1;
        if (words === 1) setImmediate(() => stop.abort(reason));
      }
    })();

    await assert.rejects(reading, reason);
    assert.ok(words < 1_000);
  }
});
