// Each client as it really behaves (the order of its requests, no cursors, streams that never come back) while each
// process is killed: what its person has in the end is the answer, whole and once.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import OpenAI from "openai";
import { ANSWER, HALF, startHaltingModel } from "../../support/models/halting-model.ts";
import { call } from "../../support/http.ts";
import { startHttpProxy } from "../../support/servers/http-proxy.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { runInfo } from "../../support/runs.ts";
import { messagesIn } from "../../support/models/scripted-agent.ts";
import { stubbornSocket, type StubbornSocket } from "../../support/stubborn.ts";
import { until } from "../../support/until.ts";
import {
  ask,
  startGateway,
  startRunnerLocal,
  type Reading,
} from "../../support/windows/v1-clients.ts";
import { WebConsole } from "../../support/console/web-console.ts";

const model = await startHaltingModel();
const proxy = await startHttpProxy();
const place = newTestHome({
  base_url: model.baseUrl,
  model: "real/agent",
  heartbeat_ms: 500,
  allowed_origins: [proxy.url],
});
const program = await openPair(place, { apart: ["serve", "work"] });
proxy.to(program);
const boards: StubbornSocket[] = [];
after(async () => {
  for (const board of boards) await board.stop();
  await program[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});
const client = new OpenAI({
  apiKey: program.token,
  baseURL: `${program.url}/v1`,
  maxRetries: 0,
});

const ended = (runId: string) =>
  until(
    async () => /^(completed|failed)$/.test((await runInfo(program, runId)).status),
    `${runId} to end`,
  );

function startChat(content: string): Reading {
  let text = "";
  const read = async () => {
    const stream = await client.chat.completions.create(
      { model: "quarterdeck", messages: [{ role: "user", content }], stream: true },
      { headers: { "Idempotency-Key": content } },
    );
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  };
  return { name: `chat ${content}`, text: () => text, over: read() };
}

function startResponse(input: string): Reading {
  const stream = client.responses.stream({ model: "quarterdeck", input });
  let text = "";
  stream.on("response.output_text.delta", ({ delta }) => void (text += delta));
  const over = stream.finalResponse().then((response) => {
    assert.equal(response.output_text, text, "the client's own sum");
  });
  return { name: `responses ${input}`, text: () => text, over };
}

/** A page, and a dashboard beside it that follows the same session. */
function startConsole(prompt: string, sessionId: string) {
  const page = new WebConsole(proxy.url, sessionId);
  const board = stubbornSocket(program, "/api/daemon/ws");
  boards.push(board);
  const words = () =>
    board.got
      .filter((emitted) => emitted["sessionId"] === sessionId)
      .map((emitted) => emitted["event"] as { method: string; params: { delta?: string } })
      .map(({ method, params }) => (method === "stream.text" ? (params.delta ?? "") : ""))
      .join("");
  const over = page.send(prompt);
  return { name: `console ${prompt}`, page, words, text: () => page.shown().join("|"), over };
}

test("[W20] work is killed in the middle of everybody's answer: each has the whole of it, once", async () => {
  for (const kind of ["plain", "think"]) {
    const gui = startConsole(`${kind}-console`, `session-1-${kind}`);
    using page = gui.page;
    const runner = await startRunnerLocal(program, `${kind}-runner`);
    const clients: Reading[] = [
      await startGateway(program, `${kind}-gateway`),
      runner,
      startChat(`${kind}-chat`),
      startResponse(`${kind}-response`),
      gui,
      { name: "dashboard", text: gui.words, over: gui.over },
    ];
    for (const { name, text } of clients) {
      await until(() => text().includes("w20"), `half of the answer in ${name}`);
    }
    await program.kill("work");
    await until(() => page.status === "completed by the stream", "the end on the page");
    await Promise.all(clients.map(({ over }) => over));
    for (const { name, text } of clients) {
      await until(() => text().trim().length >= ANSWER.length, `the answer in ${name}`);
      assert.equal(text().trim(), ANSWER, name);
    }
    assert.deepEqual(runner.final(), [`${kind}-runner`, ANSWER]);
    await page.reload();
    await until(() => page.status === "completed by the stream", "the end after a reload");
    assert.deepEqual(page.shown(), [ANSWER], "after a reload");
    assert.deepEqual(page.shown("user"), [`${kind}-console`]);
  }
});

test("[W1, W3, W8] serve is killed in the middle: whoever comes back, or only asks, finds the whole answer once", async () => {
  const { page, ...gui } = startConsole("served-console", "session-2");
  using _page = page;
  const gateway = await startGateway(program, "served-gateway");
  const runner = await startRunnerLocal(program, "served-runner");
  const chat = startChat("served-chat");
  const chatCut = assert.rejects(chat.over); // the SDK says so
  for (const { name, text } of [gui, gateway, runner, chat]) {
    await until(() => text().includes("w20"), `half of the answer in ${name}`);
  }
  proxy.to(undefined); // it answers 502 until the server is back
  await program.kill("serve");
  assert.equal((await gateway.over).ended, false);
  await chatCut;
  await until(() => page.isDead, "the page's stream to be closed for good");
  const again = await until(() => gateway.start().catch(() => undefined), "the server to be back");
  assert.deepEqual([again.body["run_id"], again.body["replayed"]], [gateway.runId, true]);

  proxy.to(program);
  const runId = await gui.over;
  await page.reload(async () => {
    model.release();
    await ended(runId); // all the rest comes before the stream is open
  });
  await until(() => page.status === "completed by the stream", "the end on the page");
  assert.deepEqual(page.shown(), [ANSWER]);

  await ended(gateway.runId);
  const { body } = await ask(program, "GET", `/runs/${gateway.runId}`);
  assert.deepEqual([body["status"], body["output"]], ["completed", ANSWER]);
  const key = startChat("served-chat");
  await key.over;
  assert.equal(key.text(), ANSWER, "the same request has the whole answer");
  await runner.over;
  assert.equal(runner.text(), ANSWER);
  assert.deepEqual(runner.emitted(), await runner.whole(), "nothing missing, nothing twice");
  assert.equal(new Set(runner.emitted()).size, runner.emitted().length);
  const asked = model.requests.map((request) => messagesIn(request).at(-1)?.content);
  for (const words of ["served-gateway", "served-chat"]) {
    assert.equal(asked.filter((content) => content === words).length, 1, `${words} ran once`);
  }
});

test("[W3] serve and work are killed together between two polls: the cursor loses and repeats nothing", async () => {
  const runner = await startRunnerLocal(program, "both-runner");
  await until(() => runner.text() === HALF, "half of the answer");
  await program.kill("work");
  await program.kill("serve");
  await runner.over;
  assert.ok(runner.failures() > 0, "a poll was cut");
  assert.equal(runner.text(), ANSWER);
  assert.deepEqual(runner.emitted(), await runner.whole());
});

test("[W11a] a first run that fails at once, or is over at once, is shown with its end", async () => {
  using failing = new WebConsole(proxy.url, "session-failing");
  await failing.send("fail", ended);
  await until(() => failing.status === "failed", "the failure");
  assert.match(failing.shown("system").join(), /It broke\./);
  using quick = new WebConsole(proxy.url, "session-quick");
  await quick.send("quick", ended);
  await until(() => quick.status === "completed by the stream", "the end");
  assert.deepEqual(quick.shown(), [ANSWER]);
});

test("[C4, W20] stopped after a reload in the middle of an answer: what was said stands once", async () => {
  using page = new WebConsole(proxy.url, "session-stopped");
  const runId = await page.send("stopped");
  await until(() => page.shown().join().includes("w20"), "half of the answer");
  await page.reload();
  await call(program, "POST", "/api/gui/chat/stop", { run_id: runId });
  await until(() => page.status === "failed", "the end");
  assert.deepEqual(page.shown(), [HALF.trim()]);
  assert.deepEqual(page.shown("system"), ["The run was stopped."]);
});
