// `/v1/chat/completions` for the official OpenAI client, unmodified, against the real program.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import OpenAI from "openai";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { answerQuestion, approve, runInfo } from "../../support/runs.ts";
import { startEcho } from "../../support/models/echo-model.ts";
import { isSideQuestion, messagesIn } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const model = await startEcho();
const place = newTestHome({ base_url: model.baseUrl, model: "scripted/agent", demo_delay_ms: 0 });
const program = await openPair(place, { apart: ["serve", "work"] });
after(async () => {
  await program[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const client = new OpenAI({ apiKey: program.token, baseURL: `${program.url}/v1` });

const DEMO = "demo/demo";
type Pending = { request_id: string; kind: string; run_id: string };
type Extended = { quarterdeck: { run_id: string; session_id: string; pending: Pending[] } };
const chat = (content: string) => ({ model: DEMO, messages: [{ role: "user" as const, content }] });

/** What the model was told last, without the system prompt. */
function emittedLast(): string[] {
  const request = model.requests.filter((each) => !isSideQuestion(each)).at(-1);
  assert.ok(request);
  return messagesIn(request)
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => `${role}: ${String(content)}`);
}

function systemPrompt(): string {
  const request = model.requests.filter((each) => !isSideQuestion(each)).at(-1);
  return request ? JSON.stringify(messagesIn(request).filter(({ role }) => role === "system")) : "";
}

test("[W1] streamed and whole, a run says the same; its id and session are in the head", async () => {
  const script = "think let me see\nsay hello\nread nothing-here\nsay bye";
  const { data, response } = await client.chat.completions.create(chat(script)).withResponse();
  const { message, finish_reason } = data.choices[0] ?? assert.fail();
  assert.equal(message.content, "hello\n\nThat did not work (read); I go on.\nbye");
  assert.equal(finish_reason, "stop");
  assert.equal(data.model, DEMO);
  assert.ok((data.usage?.total_tokens ?? 0) > 0);
  const emitted = (data as unknown as Extended).quarterdeck;
  assert.equal(response.headers.get("x-quarterdeck-run-id"), emitted.run_id);
  assert.equal(response.headers.get("x-hermes-session-id"), emitted.session_id);
  assert.equal((await runInfo(program, emitted.run_id)).status, "completed");

  const stream = client.chat.completions.stream({
    ...chat(script),
    stream_options: { include_usage: true },
  });
  const streamed = await stream.finalChatCompletion();
  assert.equal(streamed.choices[0]?.message.content, message.content);
  assert.deepEqual(streamed.usage, data.usage);
  const thoughts = (await client.chat.completions.create({ ...chat(script), stream: true }))
    .toReadableStream()
    .getReader();
  const bytes: string[] = [];
  for (let part = await thoughts.read(); !part.done; part = await thoughts.read()) {
    bytes.push(new TextDecoder().decode(part.value as Uint8Array));
  }
  assert.match(bytes.join(""), /"reasoning_content":"let/);
});

test("[W6] on the wire: role first, named tool progress, usage, [DONE]", async () => {
  const reply = await fetch(`${program.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${program.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...chat("say hi\nread nothing-here\nsay bye"),
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  assert.equal(reply.headers.get("content-type"), "text/event-stream; charset=utf-8");
  const blocks = (await reply.text()).split("\n\n").filter((block) => block !== "");
  assert.equal(blocks[0], ": keepalive");
  assert.match(blocks[1] ?? "", /^data: \{.*"delta":\{"role":"assistant","content":""\}/);
  const tools = blocks.filter((block) => block.startsWith("event: hermes.tool.progress\ndata: "));
  assert.deepEqual(
    tools.map((block) => {
      const { tool, emoji, label, status } = JSON.parse(block.split("data: ")[1] ?? "") as Record<
        string,
        string
      >;
      return { tool, emoji, label, status };
    }),
    ["running", "failed"].map((status) => ({
      tool: "read",
      emoji: "📖",
      label: "Read nothing-here",
      status,
    })),
  );
  assert.match(blocks.at(-2) ?? "", /"choices":\[\],"usage":\{"prompt_tokens":\d/);
  assert.equal(blocks.at(-1), "data: [DONE]");
});

test("[W6] the whole conversation is told to the model; each call is a session of its own", async () => {
  const first = await client.chat.completions.create({
    model: "quarterdeck",
    messages: [
      { role: "system", content: "Answer like a pirate." },
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Aye." },
      { role: "developer", content: "Stay short." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is my " },
          { type: "text", text: "name?" },
        ],
      },
    ],
  });
  assert.equal(first.choices[0]?.message.content, "You said What is my name?");
  assert.deepEqual(emittedLast(), [
    "user: My name is Ada.",
    "assistant: Aye.",
    "user: What is my name?",
  ]);
  assert.match(systemPrompt(), /Answer like a pirate\.\\n\\nStay short\./);
  const second = await client.chat.completions.create({
    model: "hermes-agent",
    messages: [{ role: "user", content: "And now?" }],
  });
  assert.deepEqual(emittedLast(), ["user: And now?"]);
  const sessions = [first, second].map(
    (each) => (each as unknown as Extended).quarterdeck.session_id,
  );
  assert.notEqual(sessions[0], sessions[1]);
});

test("[W6] a session that is named goes on: its own past counts, and only the last message is new", async () => {
  const headers = { "X-Hermes-Session-Id": "chat-7", "X-Hermes-Session-Key": "user:ada" };
  const say = (messages: { role: "user" | "assistant"; content: string }[]) =>
    client.chat.completions.create({ model: "quarterdeck", messages }, { headers }).withResponse();
  const { response } = await say([
    { role: "user", content: "before" },
    { role: "assistant", content: "ok" },
    { role: "user", content: "one" },
  ]);
  assert.equal(response.headers.get("x-hermes-session-id"), "chat-7");
  assert.equal(response.headers.get("x-hermes-session-key"), "user:ada");
  assert.deepEqual(emittedLast(), ["user: before", "assistant: ok", "user: one"]);
  await say([
    { role: "user", content: "something else entirely" },
    { role: "assistant", content: "invented" },
    { role: "user", content: "two" },
  ]);
  assert.deepEqual(emittedLast(), [
    "user: before",
    "assistant: ok",
    "user: one",
    "assistant: You said one",
    "user: two",
  ]);
});

test("[W8] the same key and body is the same run, across restarts; another body is refused", async () => {
  const headers = { "Idempotency-Key": "chat-key-1" };
  const once = async (content: string) =>
    (await client.chat.completions.create(chat(content), {
      headers,
      maxRetries: 10,
    })) as unknown as Extended;
  const first = await once("say keyed");
  await program.kill("serve");
  const again = await once("say keyed"); // the client comes back by itself
  assert.equal(again.quarterdeck.run_id, first.quarterdeck.run_id);
  await assert.rejects(once("say other"), (error: unknown) => {
    assert.ok(error instanceof OpenAI.ConflictError);
    assert.equal(error.code, "idempotency_key_conflict");
    return true;
  });
});

test("[W4, W5] a run that waits says so in the stream, stays open, and goes on with the answer", async () => {
  const stream = await client.chat.completions.create({
    ...chat("say may I?\nexec echo yes\nclarify Good? | Yes | No\nsay done"),
    stream: true,
  });
  let said = "";
  const answered: Promise<unknown>[] = [];
  for await (const { id, choices } of stream) {
    said += choices[0]?.delta.content ?? "";
    const runId = id.slice("chatcmpl-".length);
    const [, path] = /POST (\/v1\/runs\/[^ ]*\/approval) /.exec(said) ?? [];
    if (path !== undefined && answered.length === 0) {
      const [, request_id] = /"request_id":"([^"]*)"/.exec(said) ?? [];
      answered.push(call(program, "POST", path, { request_id, choice: "once" }));
    }
    if (answered.length === 1 && said.includes("/clarifications/")) {
      answered.push(answerQuestion(program, runId, "Yes"));
    }
  }
  await Promise.all(answered);
  assert.match(said, /^may I\?\n\n\[Waiting for approval: .*echo yes.*\]\n\n\[approved: once\]/s);
  assert.match(
    said,
    /\[Waiting for an answer: A question: Good\? \(Yes, No\)\..*\]\n\n\[answered: Yes\]/s,
  );
  assert.ok(said.endsWith("\n\ndone"));
});

test("[W4] who wants one answer gets it as it stands when the run waits, a subagent's question too", async () => {
  const parked = await client.chat.completions.create(
    chat("say I ask my helper.\ndelegate helper: clarify Which way? | left | right\nsay done"),
  );
  const { pending, run_id, session_id } = (parked as unknown as Extended).quarterdeck;
  const content = parked.choices[0]?.message.content ?? "";
  assert.match(
    content,
    /^I ask my helper\.\n\n\[Waiting for an answer: .*Which way\? \(left, right\)/s,
  );
  assert.equal(pending.length, 1);
  assert.ok(pending[0]?.run_id.startsWith(`${run_id}.`), "the subagent's run");
  assert.ok(content.includes(`/v1/runs/${pending[0]?.run_id}/clarifications/`));

  // Whoever comes later in that session is told what it has to wait for.
  const headers = { "X-Hermes-Session-Id": session_id };
  const behind = await client.chat.completions.create(chat("say later"), { headers });
  assert.match(behind.choices[0]?.message.content ?? "", /\[Waiting for an answer: .*Which way\?/);
  const stream = await client.chat.completions.create(
    { ...chat("say later still"), stream: true },
    { headers },
  );
  let said = "";
  for await (const { choices } of stream) {
    said += choices[0]?.delta.content ?? "";
    if (said.includes("Which way?")) break;
  }
  assert.match(said, /^\[Another run of this session comes first\.\] \[Waiting for an answer/);

  const [question] = pending;
  await answerQuestion(program, question?.run_id ?? "", "left");
  const { events } = await followRun(() => program, run_id);
  assert.equal(events.at(-1)?.terminal, true);
});

test("[W1] a client that goes away stops nothing", async () => {
  const stream = await client.chat.completions.create({
    ...chat("pace 2\ncount 300\nsay over"),
    stream: true,
  });
  let runId = "";
  for await (const { id, choices } of stream) {
    runId = id.slice("chatcmpl-".length);
    if (choices[0]?.delta.content) break;
  }
  const { events } = await followRun(() => program, runId);
  const done = events.at(-1);
  assert.equal(done?.type === "done" && done.payload.status, "completed");
});

test("[W20, R19] an answer that was cut by a crash goes on where it stopped", async () => {
  const stream = await client.chat.completions.create({
    model: "quarterdeck",
    messages: [{ role: "user", content: "cut me off" }],
    stream: true,
  });
  let said = "";
  let runId = "";
  for await (const { id, choices } of stream) {
    runId = id.slice("chatcmpl-".length);
    said += choices[0]?.delta.content ?? "";
    if (said === "Here is half of ") await program.kill("work");
  }
  assert.equal(said, "Here is half of what was asked for.");
  const response = await client.responses.retrieve(`resp_${runId}`);
  assert.equal(response.output_text, said);
  await until(async () => (await program.status()).runners.length > 0, "a runner");
});

test("[W6] failures are the client's own exceptions, and are not tried again behind its back", async () => {
  const before = (await client.models.list()).data.map(({ id }) => id);
  assert.deepEqual(before.slice(0, 4), ["hermes-agent", "quarterdeck", "scripted/agent", DEMO]);
  const failed = client.chat.completions.create(chat("say before\nfail it broke"));
  await assert.rejects(failed, (error: unknown) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.match(error.message, /it broke/);
    assert.equal(error.code, "model_bad_request");
    return true;
  });
  const stream = await client.chat.completions.create({
    ...chat("say before\nfail it broke"),
    stream: true,
  });
  let said = "";
  await assert.rejects(
    (async () => {
      for await (const { choices } of stream) said += choices[0]?.delta.content ?? "";
    })(),
    (error: unknown) => error instanceof OpenAI.APIError && /it broke/.test(error.message),
  );
  assert.equal(said, "before");
  const provider = createOpenAI({ baseURL: `${program.url}/v1`, apiKey: program.token });
  const content = [{ type: "text" as const, text: "say before\nfail it broke" }];
  const sdk = await provider.chat(DEMO).doStream({ prompt: [{ role: "user", content }] });
  const parts = await Array.fromAsync(sdk.stream);
  const failure = parts.find((part) => part.type === "error");
  assert.match(JSON.stringify(failure?.error), /it broke/, "the AI SDK hears of it too");
  const finish = parts.find((part) => part.type === "finish");
  assert.equal(finish?.finishReason.unified, "error");
  const stranger = new OpenAI({ apiKey: "wrong", baseURL: `${program.url}/v1` });
  await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
  await assert.rejects(
    client.chat.completions.create({ ...chat("say x"), n: 2 }),
    (error: unknown) => error instanceof OpenAI.BadRequestError && error.param === "n",
  );
});

test("[W5] what another window cancels, this one tells", async () => {
  const stream = await client.chat.completions.create({
    ...chat("pace 5\ncount 5000"),
    stream: true,
  });
  let said = "";
  let finish: string | null = null;
  for await (const { id, choices } of stream) {
    if (said === "" && choices[0]?.delta.content) {
      await call(program, "POST", `/api/runs/${id.slice("chatcmpl-".length)}/cancel`, {});
    }
    said += choices[0]?.delta.content ?? "";
    finish = choices[0]?.finish_reason ?? finish;
  }
  assert.ok(said.startsWith("1 ") && said.endsWith("\n\n[cancelled]"));
  assert.equal(finish, "stop");
  const { run_id } = await startRun(program, "exec echo x", { model: DEMO });
  await approve(program, run_id); // the page's answers are the same commands
  await followRun(() => program, run_id);
});
