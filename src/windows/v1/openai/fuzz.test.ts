// Bodies of every kind to the OpenAI-compatible routes and their parsers: taken, or refused with the format's
// own error. Nothing a client sends is a failure of ours.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { ChatBody, CHAT_UNSUPPORTED, chatInput } from "../wire/chat/body.ts";
import { refuseUnsupported, spokenIn } from "../wire/openai/input.ts";
import { responseInput, RESPONSES_UNSUPPORTED, ResponsesBody } from "../wire/responses/body.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import { openV1 } from "../test-support.ts";

/** A runner that stops everything it finds: whoever waits for an end gets one. */
function stopEverything(from: Journal): () => void {
  return from.watch((wake) => {
    if (wake === "all" || wake.logId === wake.sessionId) return;
    from.commands.cancelRun(wake.logId, {}).catch(() => undefined);
  });
}

const texts = fc.string({ unit: "binary", maxLength: 20 });
const roles = fc.oneof(
  fc.constantFrom("system", "developer", "user", "assistant", "tool", "function"),
  texts,
);
const parts = fc.oneof(
  fc.record({ type: fc.constantFrom("text", "input_text", "output_text"), text: texts }),
  fc.record({ type: fc.constant("refusal"), refusal: texts }),
  fc.record({ type: fc.constantFrom("image_url", "input_audio", "file") }),
  fc.jsonValue({ maxDepth: 2 }),
);
const content = fc.oneof(texts, fc.array(parts, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));
const calls = fc.array(
  fc.record({ id: texts, function: fc.record({ name: texts, arguments: texts }) }),
  { maxLength: 2 },
);
const messages = fc.record(
  { role: roles, content, tool_calls: fc.oneof(calls, fc.jsonValue({ maxDepth: 1 })) },
  { requiredKeys: [] },
);
const items = fc.oneof(
  messages,
  fc.record(
    {
      type: fc.oneof(
        fc.constantFrom(
          "message",
          "function_call",
          "function_call_output",
          "mcp_approval_response",
          "mcp_approval_request",
          "reasoning",
          "item_reference",
          "__proto__",
          "constructor",
        ),
        texts,
      ),
      role: roles,
      content,
      call_id: texts,
      name: texts,
      arguments: texts,
      output: content,
      approval_request_id: texts,
      approve: fc.oneof(fc.boolean(), texts),
      reason: fc.oneof(fc.constant(null), texts),
    },
    { requiredKeys: ["type"] },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const junk = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, "", [], {}, 0, true));
const odd: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  model: fc.oneof(fc.constantFrom("quarterdeck", "demo/demo", "a/b", null), junk),
  metadata: fc.oneof(fc.dictionary(texts, texts, { maxKeys: 3 }), junk),
  instructions: fc.oneof(texts, junk),
  previous_response_id: fc.oneof(fc.constantFrom("resp_x", null), junk),
  conversation: fc.oneof(fc.constantFrom("c1", { id: "c2" }), junk),
  text: junk,
  prompt: junk,
  store: junk,
  n: junk,
  stop: junk,
  response_format: junk,
  modalities: junk,
  stream_options: junk,
  tools: junk,
  tool_choice: junk,
  temperature: junk,
  top_logprobs: junk,
};
/** Nothing odd, or one thing. */
const oddity = fc.oneof(
  fc.constant({}),
  ...Object.entries(odd).map(([name, value]) => value.map((given) => ({ [name]: given }))),
);
const spoken = fc.array(
  fc.record({ role: fc.constantFrom("system", "user", "assistant", "user"), content: texts }),
  { maxLength: 5 },
);
const chatBodies = fc
  .tuple(fc.oneof(spoken, spoken, fc.array(messages, { maxLength: 4 }), junk), oddity)
  .map(([said, more]) => ({ messages: said, ...more }));
const responseBodies = fc
  .tuple(fc.oneof(texts, spoken, fc.array(items, { maxLength: 4 }), junk), oddity)
  .map(([input, more]) => ({ input, ...more }));

test("[W6] bodies of any kind are taken or refused by the parsers, never more", () => {
  let taken = 0;
  const refused = (work: () => void) => {
    try {
      work();
      taken += 1;
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === "invalid_request", String(error));
    }
  };
  fc.assert(
    fc.property(chatBodies, (given) => {
      refused(() => {
        const body = parse(ChatBody, given);
        refuseUnsupported(body, CHAT_UNSUPPORTED);
        spokenIn(chatInput(body), new Set());
      });
    }),
    { numRuns: tries(10_000) },
  );
  fc.assert(
    fc.property(responseBodies, (given) => {
      refused(() => {
        const body = parse(ResponsesBody, given);
        refuseUnsupported(body, RESPONSES_UNSUPPORTED);
        spokenIn(responseInput(body), new Set());
      });
    }),
    { numRuns: tries(10_000) },
  );
  assert.ok(taken > 1_000, `${taken} were taken`);
});

test("[W6] bodies of any kind to the routes: an answer or the format's error, never a 5xx", async () => {
  await using v1 = await openV1();
  const stop = stopEverything(v1.journal);
  const seen = new Set<number>();
  const emitted = async (path: string, body: unknown) => {
    const { status, text } = await v1.post(path, body);
    seen.add(status);
    assert.ok(status < 500, `${status} ${text}`);
    if (status < 400) return;
    const { error } = JSON.parse(text) as { error: Record<string, string> };
    assert.ok(error["message"] && error["type"] && error["code"], text);
  };
  await fc.assert(
    fc.asyncProperty(chatBodies, fc.boolean(), async (body, stream) =>
      emitted("/v1/chat/completions", { ...body, stream }),
    ),
    { numRuns: tries(500) },
  );
  await fc.assert(
    fc.asyncProperty(responseBodies, fc.boolean(), fc.boolean(), async (body, stream, background) =>
      emitted("/v1/responses", { ...body, stream, background }),
    ),
    { numRuns: tries(500) },
  );
  await fc.assert(
    fc.asyncProperty(junk, async (body) => emitted("/v1/responses", body)),
    { numRuns: tries(500) },
  );
  stop();
  assert.ok(seen.has(200) && seen.has(400), [...seen].join(" "));
});
