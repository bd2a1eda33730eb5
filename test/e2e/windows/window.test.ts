// The model's window and the price of it: tracked per turn, made room in by itself, said when unknown.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { answer, startModelServer, textChunk, finish } from "../../support/models/model-server.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { eventsOf } from "../../support/runs.ts";
import { isSideQuestion, messagesIn, startAgent } from "../../support/models/scripted-agent.ts";

const MODEL = "scripted/agent";

function writeModels({ home }: TestHome, facts: object): void {
  const models = [{ provider: "scripted", id: "agent", ...facts }];
  writeFileSync(join(home, "models.json"), JSON.stringify({ models }));
}

test("[R10] near the end of the window the run compresses by itself and goes on with its id", async () => {
  const todo = { name: "todo", args: { items: [] } };
  await using model = await startAgent(
    (request) =>
      JSON.stringify(request.body).includes("SUMMARY")
        ? [
            { calls: [todo], promptTokens: 300 },
            { say: "Done.", promptTokens: 320 },
          ]
        : [
            { calls: [todo], promptTokens: 900 },
            { calls: [todo], promptTokens: 1_500 },
            { calls: [todo], promptTokens: 1_900 },
          ],
    () => "SUMMARY of it all",
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  writeModels(place, { context_window: 2_000, price: { input: 1, output: 10 } });
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "a long story", { model: MODEL });
  const { events } = await followRun(() => program, run_id);

  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");
  const compactions = eventsOf(events, "compaction").map(({ payload }) => payload);
  assert.deepEqual(
    compactions.map(({ phase, reason }) => [phase, reason]),
    [
      ["started", "window"],
      ["completed", "window"],
    ],
  );
  const after = model.requests.filter((request) => !isSideQuestion(request)).at(-1);
  const [, first] = messagesIn(after as never);
  assert.match(
    JSON.stringify(first),
    /SUMMARY of it all.*a long story/s,
    "summary, then the message",
  );
  const usage = eventsOf(events, "usage.updated").find(({ payload }) => payload.turn_id === "t1.1");
  assert.equal(usage?.payload.context_window, 2_000);
  assert.equal(usage?.payload.cost_usd, (900 * 1 + 20 * 10) / 1_000_000);
});

test("[R10, R7] a provider that says the conversation is too long gets a shorter one", async () => {
  let refused = 0;
  await using model = await startModelServer((request) => {
    if (isSideQuestion(request)) return [textChunk("SUMMARY"), finish("stop")];
    const emitted = JSON.stringify(request.body);
    if (emitted.includes("SUMMARY") || !emitted.includes("second")) {
      return [textChunk("Fine."), finish("stop")];
    }
    refused += 1;
    const message = "This model's maximum context length is 8192 tokens.";
    return answer(400, { error: { message, code: "context_length_exceeded" } });
  });
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const first = await startRun(program, "first", { model: MODEL });
  await followRun(() => program, first.run_id);
  const { run_id } = await startRun(program, "second", {
    model: MODEL,
    session_id: first.session_id,
  });
  const { events } = await followRun(() => program, run_id);

  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed", JSON.stringify(done));
  assert.equal(refused, 1);
  assert.equal(eventsOf(events, "compaction").length, 2);
});

test("[C14] a model is switched between runs of a session; an unknown price is null, not free", async () => {
  await using model = await startAgent([{ say: "Hello." }]);
  using place = newTestHome({ base_url: model.baseUrl });
  await using program = await openPair(place);
  const first = await startRun(program, "say hi");
  await followRun(() => program, first.run_id);
  const { session_id } = first;
  const path = `/api/sessions/${session_id}/settings`;
  await call(program, "POST", path, { model: "scripted/other" });
  const second = await startRun(program, "hello", { session_id });
  const { events } = await followRun(() => program, second.run_id);

  assert.equal(model.requests[0]?.body["model"], "other");
  const [usage] = eventsOf(events, "usage.updated");
  assert.equal(usage?.payload.cost_usd, null);
  assert.equal(usage?.payload.total_tokens, 120);
  const listed = await call<{ models: { provider: string; found: string }[] }>(
    program,
    "GET",
    "/api/models",
  );
  assert.ok(listed.body.data.models.some(({ provider }) => provider === "demo"));
});
