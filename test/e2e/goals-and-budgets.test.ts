// A standing goal that decides after each run's work, and budgets that ask instead of failing. Both
// live in the journal, so both outlive the runner.
import assert from "node:assert/strict";
import { test } from "node:test";
import { followRun } from "../support/follow.ts";
import { call, readEvents, startRun } from "../support/http.ts";
import { newPlace, startProgram, type Program } from "../support/program.ts";
import { answerQuestion, eventsOf, runInfo } from "../support/runs.ts";
import { startAgent } from "../support/scripted-agent.ts";
import { until } from "../support/until.ts";

const MODEL = "scripted/agent";
const judged = (decision: string, next?: string) =>
  JSON.stringify({ decision, reason: `it is ${decision}`, ...(next && { next }) });

async function withGoal(program: Program, session_id: string, text: string) {
  await call(program, "POST", "/api/sessions", { session_id });
  await call(program, "POST", `/api/sessions/${session_id}/goal`, { action: "set", text });
}

async function goalOf(program: Program, session_id: string) {
  const { body } = await call<{ session: { goal: { status: string } | null } }>(
    program,
    "GET",
    `/api/sessions/${session_id}`,
  );
  return body.data.session.goal;
}

test("[C10] a goal that is not met sends the same run on, and is over when it is met", async () => {
  let asked = 0;
  await using model = await startAgent(
    (request) => [{ say: JSON.stringify(request.body).includes("once more") ? "Twice." : "Once." }],
    () => judged((asked += 1) === 1 ? "continue" : "met", "once more"),
  );
  using place = newPlace({ base_url: model.baseUrl, model: MODEL });
  await using program = await startProgram(place);
  await withGoal(program, "g1", "do it twice");
  const { run_id } = await startRun(program, "begin", { session_id: "g1", model: MODEL });
  const { events } = await followRun(() => program, run_id);

  const decisions = eventsOf(events, "goal.decided").map(({ payload }) => payload.decision);
  assert.deepEqual(decisions, ["continue", "met"]);
  const said = eventsOf(events, "message.completed").map(({ payload }) => payload.text);
  assert.deepEqual(said, ["Once.", "Twice."]);
  assert.equal(await goalOf(program, "g1"), null);
});

test("[C10, R1] killed while the goal is being judged: the same run decides once and goes on", async () => {
  const reached = Promise.withResolvers<void>();
  let asked = 0;
  await using model = await startAgent([{ say: "Done." }], () => {
    asked += 1;
    reached.resolve();
    return judged("met");
  });
  using place = newPlace({ base_url: model.baseUrl, model: MODEL });
  await using program = await startProgram(place);
  await withGoal(program, "g2", "be done");
  const { run_id } = await startRun(program, "begin", { session_id: "g2", model: MODEL });
  await reached.promise;
  await program.kill("work");
  const { events } = await followRun(() => program, run_id);

  assert.equal(eventsOf(events, "goal.decided").length, 1);
  assert.equal(eventsOf(events, "message.completed").length, 1, "the work itself is not repeated");
});

test("[C10, B3] a judgement nobody can read pauses the goal", async () => {
  await using model = await startAgent([{ say: "Done." }], () => "hmm, maybe");
  using place = newPlace({ base_url: model.baseUrl, model: MODEL });
  await using program = await startProgram(place);
  await withGoal(program, "g3", "be clear");
  const { run_id } = await startRun(program, "begin", { session_id: "g3", model: MODEL });
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "goal.decided")[0]?.payload.decision, "blocked");
  assert.equal((await goalOf(program, "g3"))?.status, "paused");
});

const THREE_READS = "pace 0\nread a\nread b\nread c\nsay done";

test("[R11, X8] a used-up budget asks, outlives a kill, and goes on with as much again", async () => {
  using place = newPlace();
  await using program = await startProgram(place);
  const { run_id } = await startRun(program, THREE_READS, { budget: { tool_calls: 1 } });
  const waiting = async () => (await runInfo(program, run_id)).pending_clarify_id;
  const question = await until(waiting, "the question");
  await program.kill("work");
  await until(async () => (await program.status()).runners.length > 0, "a runner");
  assert.equal(await waiting(), question, "the same question");

  await answerQuestion(program, run_id, "continue");
  await until(
    async () => (await waiting()) !== question && (await waiting()) !== null,
    "the next one",
  );
  await answerQuestion(program, run_id, "continue");
  const { events } = await followRun(() => program, run_id);
  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");
  assert.equal(eventsOf(events, "tool.started").length, 3);
  assert.equal(eventsOf(events, "clarify.requested").length, 2);
});

test("[R11] stopping at a budget ends the run as stopped, with everything it said", async () => {
  using place = newPlace();
  await using program = await startProgram(place);
  const { run_id } = await startRun(program, THREE_READS, { budget: { tool_calls: 2 } });
  await answerQuestion(program, run_id, "stop");
  const { events } = await followRun(() => program, run_id);
  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "cancelled");
  assert.equal(eventsOf(events, "tool.started").length, 2);
});

test("[R11] what subagents use counts for the run that sent them", async () => {
  using place = newPlace();
  await using program = await startProgram(place);
  const script = "pace 0\ndelegate one: read a ;; read b ;; say ok\nread c\nsay done";
  const { run_id } = await startRun(program, script, { budget: { tool_calls: 3 } });
  // The call that delegates and the two calls of the subagent are three: the fourth asks.
  await until(async () => (await runInfo(program, run_id)).pending_clarify_id, "the question");
  const seen = await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"clarify.requested"'),
  });
  const started = seen.frames.filter(({ data }) => data.includes('"type":"tool.started"'));
  assert.equal(started.length, 1);
  await answerQuestion(program, run_id, "stop");
  await followRun(() => program, run_id);
});
