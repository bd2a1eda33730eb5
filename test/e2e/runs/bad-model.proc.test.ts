// Models that hang, die, refuse, lie and babble: what they did is in the journal as typed events,
// what they said is there once, and the key they were asked with is nowhere.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { CONTINUE } from "../../../src/kernel/run/context/continue-answer.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import {
  answer,
  cut,
  finish,
  hang,
  raw,
  reasoningChunk,
  sse,
  startModelServer,
  textChunk,
  toolCallChunk,
  type Reply,
  type ReplyHandler,
} from "../../support/models/model-server.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { rawText } from "../../support/journal/raw-journal.ts";
import { answerOf, eventsOf, runInfo } from "../../support/runs.ts";

const KEY = "sk-secret-7f3a91c2e5d84b06";

/** A program whose model is the given script; asserts in the end that the key is nowhere. */
async function withModel(script: ReplyHandler | readonly Reply[], settings: object = {}) {
  const model = await startModelServer(script);
  const place = newTestHome({ model_retry_base_ms: 5, model_attempts: 3, ...settings });
  const program = await openPair(place, {
    env: {
      QUARTERDECK_BASE_URL: model.baseUrl,
      QUARTERDECK_API_KEY: KEY,
      QUARTERDECK_MODEL: "test/model-1",
    },
  });
  return {
    model,
    program,
    place,
    async run(message = "go", extra: object = {}) {
      const { run_id } = await startRun(program, message, extra);
      return (await followRun(() => program, run_id)).events;
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      const journal = await rawText(place);
      place[Symbol.dispose]();
      for (const text of [program.output(), journal]) assert.ok(!text.includes(KEY));
    },
  };
}

const kinds = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const endOf = (events: readonly RunEvent[]) => {
  const [done] = eventsOf(events, "done");
  return { status: done?.payload.status, code: done?.payload.error?.code };
};
const says = (text: string): Reply => [textChunk(text), finish("stop")];

test("[R7] text, reasoning, parallel calls and usage stream into the journal", async () => {
  const usage = {
    prompt_tokens: 7,
    completion_tokens: 5,
    total_tokens: 12,
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  await using world = await withModel([
    [
      reasoningChunk("Two "),
      reasoningChunk("calls."),
      textChunk("I "),
      textChunk("look."),
      toolCallChunk(0, "a", "write", '{"path":"a.txt",'),
      toolCallChunk(1, "b", "todo", '{"items":[]}'),
      toolCallChunk(0, null, null, '"content":"one"}'),
      finish("tool_calls", usage),
    ],
    says("Done."),
    says("Second run."),
  ]);
  const { session_id, run_id } = await startRun(world.program, "go");
  const { events } = await followRun(() => world.program, run_id);

  assert.deepEqual(answerOf(events), ["I look.", "Done."]);
  assert.equal(eventsOf(events, "reasoning.done")[0]?.payload.text, "Two calls.");
  assert.deepEqual(
    eventsOf(events, "tool.done")
      .map(({ payload }) => `${payload.name} ${payload.status}`)
      .toSorted(),
    ["todo completed", "write completed"],
  );
  assert.equal(readFileSync(join(world.place.workspace, "a.txt"), "utf8"), "one");
  const { input_tokens, output_tokens, reasoning_tokens } =
    eventsOf(events, "usage.updated")[0]?.payload ?? {};
  assert.deepEqual(
    { input_tokens, output_tokens, reasoning_tokens },
    {
      input_tokens: 7,
      output_tokens: 5,
      reasoning_tokens: 2,
    },
  );

  await world.run("and again", { session_id });
  const { headers, body } = await world.model.request(2);
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  const roles = (body["messages"] as { role: string; content: unknown }[]).map(({ role }) => role);
  assert.deepEqual(roles, ["system", "user", "assistant", "tool", "tool", "assistant", "user"]);
});

test("[R7, R2, R19] a model that hangs or dies mid-answer is asked for the rest of it", async () => {
  await using world = await withModel(
    [[textChunk("Half an ans"), hang], [textChunk("wer is"), cut], says("wer is whole.")],
    { model_idle_timeout_ms: 300 },
  );
  const events = await world.run();
  assert.deepEqual(answerOf(events), ["Half an answer is whole."]);
  const { body } = await world.model.request(2);
  const asked = (body["messages"] as { role: string; content: unknown }[]).slice(-2);
  assert.deepEqual(asked, [
    { role: "assistant", content: "Half an ans" },
    { role: "user", content: CONTINUE },
  ]);
  assert.equal(eventsOf(events, "turn.superseded").length, 2);
  const shown = eventsOf(events, "token.delta")
    .map(({ payload }) => payload.delta)
    .join("");
  assert.equal(shown, "Half an ansHalf an answer is whole.", "nothing shown was taken back");
  assert.equal(eventsOf(events, "progress").length, 2);
  assert.deepEqual(endOf(events), { status: "completed", code: undefined });
});

test("[R7] 429 with Retry-After waits as long as it was asked to", async () => {
  const busy = { error: { message: `slow down, ${KEY}` } };
  await using world = await withModel([answer(429, busy, { "retry-after": "1" }), says("Now.")]);
  const events = await world.run();
  const [progress] = eventsOf(events, "progress");
  const asked = eventsOf(events, "turn.started").map(({ created_at }) => created_at);
  assert.match(progress?.payload.message ?? "", /429.*Trying again in 1\.0 s \(2 of 3\)/);
  assert.ok((asked[1] ?? 0) - (asked[0] ?? 0) >= 0.99);
  assert.deepEqual(answerOf(events), ["Now."]);
});

test("[R7] a model that always fails uses up its attempts; one that refuses is not asked again", async () => {
  const failure = (status: number) => answer(status, { error: { message: `no: ${KEY}` } });
  await using world = await withModel(() => failure(500));
  const events = await world.run();
  assert.equal(world.model.requests.length, 3);
  assert.deepEqual(endOf(events), { status: "failed", code: "model_overloaded" });
  assert.deepEqual(kinds(events).slice(-3), ["error", "usage.final", "done"]);
  assert.equal(eventsOf(events, "done").length, 1);

  await using refusing = await withModel(() => failure(401));
  assert.deepEqual(endOf(await refusing.run()), { status: "failed", code: "model_auth" });
  assert.equal(refusing.model.requests.length, 1);
});

test("[R7a, B3] what a model gets wrong about tools becomes a failed call that it can read", async () => {
  await using world = await withModel([
    [
      toolCallChunk(0, "same", "todo", '{"items":[]}'),
      toolCallChunk(1, "x", "read", '{"path":'),
      toolCallChunk(2, "y", "launch_missiles", "{}"),
      toolCallChunk(3, "z", "read", '{"path":5}'),
      finish("tool_calls"),
    ],
    [toolCallChunk(0, "same", "todo", '{"items":[]}'), finish("tool_calls")],
    says("I see."),
  ]);
  const events = await world.run();
  const calls = eventsOf(events, "tool.done").map(({ payload }) => payload);
  const codes = new Map(calls.map(({ call_id, error }) => [call_id, error?.code ?? "ok"]));
  assert.equal(codes.size, 5, "the same id of the provider, and five calls of ours");
  assert.deepEqual([...codes.values()].toSorted(), [
    "invalid_arguments",
    "invalid_arguments",
    "ok",
    "ok",
    "unknown_tool",
  ]);
  const messages = world.model.requests[1]?.body["messages"] as { role: string; content: string }[];
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  assert.equal(results.length, 4);
  assert.match(results.join("\n"), /There is no tool named/);
  assert.deepEqual(endOf(events), { status: "completed", code: undefined });
});

test("[B3] calls that repeat an id of the provider are told apart, each exactly as it was sent", async () => {
  await using world = await withModel([
    [
      toolCallChunk(0, "same", "write", '{"path":"a","content":"1"}'),
      toolCallChunk(1, "same", "write", '{"path":"b","content":"2"}'),
      finish("tool_calls"),
    ],
    says("Both."),
  ]);
  const events = await world.run();
  assert.deepEqual(answerOf(events), ["Both."]);
  const intents = eventsOf(events, "tool.intent").map(({ payload }) => payload.call_id);
  assert.equal(new Set(intents).size, 2);
  const file = (name: string) => readFileSync(join(world.place.workspace, name), "utf8");
  assert.deepEqual([file("a"), file("b")], ["1", "2"]);
});

test("[B3] bytes that are not UTF-8, lone surrogates and nonsense chunks are survived", async () => {
  const broken = Buffer.concat([
    Buffer.from(
      'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a',
    ),
    Buffer.from([0xff, 0xc3, 0x28]),
    Buffer.from('b"},"finish_reason":null}]}\n\n'),
  ]);
  await using world = await withModel([
    [raw(broken), textChunk("\ud83d"), textChunk("\ude00 \udc00."), finish("stop")],
    [raw("data: {nonsense\n\n")],
    [sse({ choices: "none" }), finish("stop")],
    says("Fine."),
    answer(200, { hello: "json" }),
    [raw("<html>"), finish("stop")],
    says("Fine."),
  ]);
  const events = await world.run();
  assert.deepEqual(answerOf(events), ["a\ufffd\ufffd(b😀 \ufffd."]);
  const second = await world.run();
  assert.deepEqual(answerOf(second), ["Fine."]);
  for (const { type, payload } of [...events, ...second]) {
    assert.ok(JSON.stringify(payload).isWellFormed(), type);
  }
});

test("[B3] an answer too large for an event ends the run with a typed error, and no other", async () => {
  const page = "word ".repeat(10_000);
  await using world = await withModel((request) =>
    JSON.stringify(request.body["messages"]).includes("modest")
      ? says("Small.")
      : [...Array.from({ length: 40 }, () => textChunk(page)), finish("stop")],
  );
  const [large, modest] = await Promise.all([world.run("babble"), world.run("be modest")]);
  assert.deepEqual(endOf(large), { status: "failed", code: "model_malformed_output" });
  assert.equal(eventsOf(large, "recovery").length, 0);
  assert.deepEqual(answerOf(modest), ["Small."]);
});

test("[X7, C4] cancelling while the model streams hangs up on it and keeps what was said", async () => {
  await using world = await withModel([[textChunk("Once upon "), textChunk("a time"), hang]]);
  const { program, model } = world;
  const { run_id } = await startRun(program, "tell me");
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes("a time"),
  });
  const request = await model.request(0);
  const cancelled = await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  assert.equal(cancelled.status, 202);
  await request.aborted;
  const { events } = await followRun(() => program, run_id);
  assert.deepEqual(endOf(events), { status: "cancelled", code: undefined });
  assert.deepEqual(answerOf(events), ["Once upon a time"]);
  assert.equal((await runInfo(program, run_id)).status, "cancelled");
  assert.equal(model.requests.length, 1);
});

test("[R7] a model nobody serves fails the run visibly, and the session goes on", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id, session_id } = await startRun(program, "say x", { model: "nobody/model" });
  const { events } = await followRun(() => program, run_id);
  assert.deepEqual(endOf(events), { status: "failed", code: "model_unknown_model" });
  const next = await startRun(program, "say y", { session_id, model: "demo/demo" });
  assert.deepEqual(answerOf((await followRun(() => program, next.run_id)).events), ["y"]);
});
