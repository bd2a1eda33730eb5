// `/v1/responses` for the official OpenAI client, unmodified, against the real program: the durable run as
// that client knows it.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import OpenAI from "openai";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { followRun } from "../../support/follow.ts";
import { call } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { countTo, runInfo } from "../../support/runs.ts";
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
const client = new OpenAI({ apiKey: program.token, baseURL: `${program.url}/v1`, maxRetries: 8 });

const DEMO = "demo/demo";
const runOf = ({ id }: Pick<Response, "id">) => id.slice("resp_".length);
type Own = {
  quarterdeck: { session_id: string; pending: { request_id: string; run_id: string }[] };
};
const own = (response: Response) => (response as unknown as Own).quarterdeck;

/** What the model was told with these words as the newest. */
function emittedWith(words: string): string[] {
  const requests = model.requests.filter((each) => !isSideQuestion(each)).map(messagesIn);
  const found = requests.findLast((messages) => messages.at(-1)?.content === words);
  assert.ok(found, `the model was told ${words}`);
  return found
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => `${role}: ${String(content)}`);
}

async function eventsOf(stream: AsyncIterable<ResponseStreamEvent>, take = Infinity) {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length >= take) break;
  }
  return events;
}
const numbers = (events: readonly ResponseStreamEvent[]) =>
  events.map((event) => ("sequence_number" in event ? event.sequence_number : -1));
const resume = (id: string, starting_after?: number) =>
  client.responses.retrieve(id, {
    stream: true,
    ...(starting_after !== undefined && { starting_after }),
  });
/** Without what the client adds. */
const plain = ({ output_text: _text, ...response }: Response) => response;

test("[W1] created, streamed and retrieved, a response is the same", async () => {
  const input = "think let me see\nsay hello\nread nothing-here\nsay bye";
  const response = await client.responses.create({
    model: DEMO,
    input,
    instructions: "Be brief.",
    metadata: { topic: "greeting" },
    temperature: 0.2,
  });
  assert.equal(response.status, "completed");
  assert.equal(response.instructions, "Be brief.");
  assert.deepEqual(response.metadata, { topic: "greeting" });
  assert.deepEqual(
    response.output.map(({ type }) => type),
    ["reasoning", "message", "mcp_call", "message"],
  );
  assert.equal(response.output_text, "helloThat did not work (read); I go on.\nbye");
  assert.ok((response.usage?.total_tokens ?? 0) > 0);
  assert.deepEqual(await client.responses.retrieve(response.id), response);

  const events = await eventsOf(await resume(response.id));
  assert.deepEqual(numbers(events), [...events.keys()]);
  const last = events.at(-1);
  assert.ok(last?.type === "response.completed");
  assert.deepEqual(last.response, plain(response));
  const helper = client.responses.stream({ response_id: response.id });
  const final = await helper.finalResponse();
  assert.equal(final.output_text, response.output_text);

  const { data } = await client.responses.inputItems.list(response.id, { order: "asc" });
  const [item] = data;
  assert.ok(item?.type === "message");
  assert.deepEqual(item.content, [{ type: "input_text", text: input }]);
});

test("[W12] the AI SDK takes the server's tools for executed ones, and the end for an end", async () => {
  const baseURL = `${program.url}/v1`;
  const model = createOpenAI({ baseURL, apiKey: program.token }).responses(DEMO);
  const content = [{ type: "text" as const, text: "read nothing-here\nsay bye" }];
  const { stream } = await model.doStream({ prompt: [{ role: "user", content }] });
  const parts = await Array.fromAsync(stream);
  const calls = parts.filter((part) => part.type === "tool-call");
  assert.deepEqual(
    calls.map(({ toolName, providerExecuted }) => [toolName, providerExecuted]),
    [["mcp.read", true]],
  );
  const finish = parts.find((part) => part.type === "finish");
  assert.equal(finish?.finishReason.unified, "stop");
});

test("[W12a] a client of hermes-agent may ask for its items", async () => {
  const headers = { "x-quarterdeck-tool-items": "function_call" };
  const input = "read nothing-here\nsay bye";
  const response = await client.responses.create({ model: DEMO, input }, { headers });
  const types = response.output.map(({ type }) => type);
  assert.deepEqual(types, ["function_call", "function_call_output", "message"]);
  assert.deepEqual(await client.responses.retrieve(response.id), response, "and every reader");
  const wrong = { headers: { "x-quarterdeck-tool-items": "x" } };
  await assert.rejects(
    client.responses.create({ model: DEMO, input }, wrong),
    OpenAI.BadRequestError,
  );
});

test("[W6] a streamed response is what its events say", async () => {
  const input = "say one\nread nothing-here\nsay two";
  const helper = client.responses.stream({ model: DEMO, input });
  let said = "";
  helper.on("response.output_text.delta", ({ delta }) => void (said += delta));
  const response = await helper.finalResponse();
  assert.equal(response.status, "completed");
  assert.equal(said, response.output_text);
});

test("[W6] previous_response_id: the model is told the past; only the newest goes on in its session", async () => {
  const say = (input: string, previous?: Response) =>
    client.responses.create({ input, ...(previous && { previous_response_id: previous.id }) });
  const one = await say("one");
  const two = await say("two", one);
  assert.equal(two.output_text, "You said two");
  assert.equal(two.previous_response_id, one.id);
  assert.deepEqual(emittedWith("two"), ["user: one", "assistant: You said one", "user: two"]);
  assert.equal(own(two).session_id, own(one).session_id);

  const other = await say("other", one);
  assert.notEqual(own(other).session_id, own(one).session_id, "a branch");
  assert.deepEqual(emittedWith("other"), ["user: one", "assistant: You said one", "user: other"]);
  const further = await say("further", other);
  assert.equal(own(further).session_id, own(other).session_id);
  assert.deepEqual(emittedWith("further").slice(-3), [
    "user: other",
    "assistant: You said other",
    "user: further",
  ]);

  const wanted = ["left", "right", "up", "down"];
  const all = await Promise.all(wanted.map((input) => say(input, two)));
  for (const input of wanted) {
    assert.deepEqual(emittedWith(input), [
      "user: one",
      "assistant: You said one",
      "user: two",
      "assistant: You said two",
      `user: ${input}`,
    ]);
  }
  const sessions = all.map((response) => own(response).session_id);
  assert.equal(new Set(sessions).size, wanted.length, "nobody hears the others");
  assert.equal(sessions.filter((id) => id === own(two).session_id).length, 1);
});

test("[W6, W8] a repeated continuation is the same response; the same key for another is refused", async () => {
  const first = await client.responses.create({ input: "begin" });
  const go = (input: string, key: string) =>
    client.responses.create(
      { input, previous_response_id: first.id },
      { headers: { "Idempotency-Key": key } },
    );
  const next = await go("next", "k-next");
  assert.equal((await go("next", "k-next")).id, next.id);
  await assert.rejects(go("not next", "k-next"), OpenAI.ConflictError);
  const branch = await go("branch", "k-branch");
  assert.equal((await go("branch", "k-branch")).id, branch.id);
  const before = await call<{ sessions: unknown[] }>(program, "GET", "/api/sessions?limit=200");
  await go("branch", "k-branch");
  const later = await call<{ sessions: unknown[] }>(program, "GET", "/api/sessions?limit=200");
  assert.equal(
    later.body.data.sessions.length,
    before.body.data.sessions.length,
    "no empty branch",
  );
});

test("[W6] a conversation is a session by its name; items of an earlier output are taken back as they came", async () => {
  const go = (input: string) => client.responses.create({ input, conversation: "talk-1" });
  const first = await go("red");
  assert.equal(first.conversation?.id, "talk-1");
  await go("blue");
  assert.deepEqual(emittedWith("blue"), ["user: red", "assistant: You said red", "user: blue"]);

  const demo = await client.responses.create({ model: DEMO, input: "say seen\nread nothing-here" });
  await client.responses.create({
    model: "quarterdeck",
    input: [
      { role: "user", content: "look" },
      ...(demo.output as OpenAI.Responses.ResponseInputItem[]),
      { role: "developer", content: "Answer in rhyme." },
      { type: "message", role: "user", content: [{ type: "input_text", text: "and now?" }] },
    ],
  });
  const [looked, seen, ...rest] = emittedWith("and now?");
  assert.equal(looked, "user: look");
  assert.match(
    seen ?? "",
    /^assistant: seen\n\n\[called read\(.*nothing-here.*\)\]\n\n\[result: No such file/,
  );
  assert.match(seen ?? "", /That did not work/);
  assert.deepEqual(rest, ["user: and now?"]);
});

test("[W1, W3] in the background, through kills of serve: resumed anywhere, nothing is lost or told twice", async () => {
  const input = "think hm\nsay first\nread nothing-here\npace 3\ncount 1000\nsay over";
  const response = await client.responses.create({ model: DEMO, input, background: true });
  assert.ok(response.status === "queued" || response.status === "in_progress");
  assert.equal(response.background, true);
  const seen = await eventsOf(await resume(response.id), 15);
  for (const more of [20, 30]) {
    await program.kill("serve");
    const after = numbers(seen).at(-1) ?? -1;
    seen.push(...(await eventsOf(await resume(response.id, after), more)));
  }
  const early = await eventsOf(await resume(response.id, 3), 5);
  assert.deepEqual(numbers(early), [4, 5, 6, 7, 8], "another reader, elsewhere");
  seen.push(...(await eventsOf(await resume(response.id, numbers(seen).at(-1)))));
  assert.deepEqual(numbers(seen), [...seen.keys()]);
  const whole = await eventsOf(await resume(response.id));
  assert.deepEqual(seen, whole);
  const last = whole.at(-1);
  assert.ok(last?.type === "response.completed");
  assert.match(last.response.output.map((item) => JSON.stringify(item)).join(), /1000 \\nover/);
  const done = await client.responses.retrieve(response.id);
  assert.equal(done.status, "completed");
  assert.ok(done.output_text.endsWith(`${countTo(1000)} \nover`));
  await assert.rejects(resume(response.id, whole.length), (error: unknown) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    return error.param === "starting_after";
  });
  assert.deepEqual(numbers(await eventsOf(await resume(response.id, whole.length - 2))), [
    whole.length - 1,
  ]);
});

test("[W1, W20] an answer that a crash cut goes on in its item, for every reader", async () => {
  const stream = await client.responses.create({ input: "cut this off", stream: true });
  let id = "";
  const live: ResponseStreamEvent[] = [];
  for await (const event of stream) {
    live.push(event);
    if (event.type === "response.created") ({ id } = event.response);
    const half = event.type === "response.output_text.delta" && event.delta === "Here is half of ";
    if (half) await program.kill("work");
  }
  assert.deepEqual(await eventsOf(await resume(id)), live);
  const response = await client.responses.retrieve(id);
  assert.equal(response.output_text, "Here is half of what was asked for.");
  assert.deepEqual(
    response.output.map((item) => [item.type, "status" in item && item.status]),
    [["message", "completed"]],
  );
});

test("[C4a] cancel stops the run, keeps its words, and says so again when asked again", async () => {
  const input = "pace 5\ncount 5000";
  const response = await client.responses.create({ model: DEMO, input, background: true });
  const text = async () => (await client.responses.retrieve(response.id)).output_text;
  await until(async () => (await text()).includes("5 "), "some words");
  const cancelled = await client.responses.cancel(response.id);
  assert.equal(cancelled.status, "cancelled");
  assert.match(await text(), /^1 2 3 4 5 /);
  assert.equal((await client.responses.cancel(response.id)).status, "cancelled");
  assert.equal((await runInfo(program, runOf(response))).status, "cancelled");
  const last = (await eventsOf(await resume(response.id))).at(-1);
  assert.ok(last?.type === "response.incomplete" && last.response.status === "cancelled");
});

test("[W4, W5] approvals and questions: told, answered as items, first answer wins, the loser is told", async () => {
  const parked = await client.responses.create({
    model: DEMO,
    input: "say may I?\nexec echo yes\nclarify Good? | Yes | No\nsay done",
  });
  assert.equal(parked.status, "in_progress");
  assert.match(parked.output_text, /^may I\?\n\n\[Waiting for approval: .*echo yes/);
  const asked = parked.output.find((item) => item.type === "mcp_approval_request");
  assert.ok(asked?.type === "mcp_approval_request");
  assert.equal(asked.name, "exec");
  assert.deepEqual(JSON.parse(asked.arguments), { command: "echo yes" });

  const answer = (item: OpenAI.Responses.ResponseInputItem) =>
    client.responses.create({ model: DEMO, input: [item], previous_response_id: parked.id });
  const approval = (approve: boolean) =>
    answer({ type: "mcp_approval_response", approval_request_id: asked.id, approve });
  const next = await approval(true);
  assert.equal(next.id, parked.id, "the same response goes on");
  const question = next.output.find(
    (item) => item.type === "function_call" && item.name === "quarterdeck_clarify",
  );
  assert.ok(question?.type === "function_call");
  assert.deepEqual(JSON.parse(question.arguments), { question: "Good?", choices: ["Yes", "No"] });
  await assert.rejects(approval(false), (error: unknown) => {
    assert.ok(error instanceof OpenAI.ConflictError);
    return error.code === "approval_not_pending";
  });

  const reply = { type: "function_call_output", call_id: question.call_id, output: "Yes" } as const;
  const done = await answer(reply);
  assert.equal(done.status, "completed");
  assert.equal(done.output_text, "may I?done", "what was waited for is out of the text again");
  assert.deepEqual(own(done).pending, []);
  await assert.rejects(answer({ ...reply, output: "No" }), OpenAI.ConflictError);
  assert.deepEqual(await client.responses.retrieve(parked.id), done);
});

test("[W4, W5] a subagent's approval waits in its parent's response, and an answer there reaches it", async () => {
  const stream = await client.responses.create({
    model: DEMO,
    input: "delegate helper: exec echo deep\nsay done",
    stream: true,
  });
  const answers: Promise<Response>[] = [];
  let id = "";
  let final: Response | undefined;
  for await (const event of stream) {
    if (event.type === "response.created") ({ id } = event.response);
    if (event.type === "response.completed") final = event.response;
    if (event.type !== "response.output_item.done") continue;
    if (event.item.type !== "mcp_approval_request") continue;
    assert.ok(event.item.id.includes(`${id.slice("resp_".length)}.`), "the subagent's own request");
    answers.push(
      client.responses.create({
        input: [
          {
            type: "mcp_approval_response",
            approval_request_id: event.item.id,
            approve: false,
            reason: "not now",
          },
        ],
        previous_response_id: id,
      }),
    );
  }
  assert.equal(answers.length, 1);
  assert.equal((await answers[0])?.id, id);
  const emitted = final?.output.find((item) => item.type === "mcp_approval_response");
  assert.ok(emitted?.type === "mcp_approval_response");
  assert.deepEqual([emitted.approve, emitted.reason], [false, "not now"]);
});

test("[W6] a failed run is a failed response; errors before it are the client's own exceptions", async () => {
  const failed = await client.responses.create({ model: DEMO, input: "say before\nfail it broke" });
  assert.equal(failed.status, "failed");
  assert.match(failed.error?.message ?? "", /it broke/);
  const { requests } = model;
  const before = requests.length;
  await assert.rejects(client.responses.retrieve("resp_nobody"), OpenAI.NotFoundError);
  await assert.rejects(
    client.responses.create({ model: "gpt-99", input: "x" }),
    OpenAI.NotFoundError,
  );
  const missing = client.responses.create({ input: "x", previous_response_id: "resp_nobody" });
  await assert.rejects(missing, OpenAI.BadRequestError);
  assert.equal(requests.length, before);
});

test("[W6, W7] deleting takes the conversation away, and only one that began here", async () => {
  const response = await client.responses.create({ model: DEMO, input: "say bye" });
  const next = await client.responses.create({
    model: DEMO,
    input: "say bye again",
    previous_response_id: response.id,
  });
  await client.responses.delete(response.id);
  for (const { id } of [response, next]) {
    await assert.rejects(client.responses.retrieve(id), OpenAI.NotFoundError);
  }
  const page = await call<{ run_id: string }>(program, "POST", "/api/runs", {
    message: "say mine",
    model: DEMO,
  });
  const { run_id } = page.body.data;
  await followRun(() => program, run_id);
  const theirs = await client.responses.retrieve(`resp_${run_id}`);
  assert.equal(theirs.output_text, "mine", "a run of any window is a response");
  await assert.rejects(client.responses.delete(theirs.id), OpenAI.ConflictError);
  assert.equal((await client.responses.retrieve(theirs.id)).output_text, "mine");
});
