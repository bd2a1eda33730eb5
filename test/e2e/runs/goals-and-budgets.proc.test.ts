// A standing goal that decides after each run's work, and budgets that ask instead of failing. Both
// live in the journal, so both outlive the runner.
import assert from "node:assert/strict";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { answerQuestion, eventsOf, runInfo } from "../../support/runs.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const MODEL = "scripted/agent";
const judged = (decision: string, next?: string) =>
  JSON.stringify({ decision, reason: `it is ${decision}`, ...(next && { next }) });

async function withGoal(program: Server, session_id: string, text: string) {
  await call(program, "POST", "/api/sessions", { session_id });
  await call(program, "POST", `/api/sessions/${session_id}/goal`, { action: "set", text });
}

async function goalOf(program: Server, session_id: string) {
  const { body } = await call<{ session: { goal: { status: string } | null } }>(
    program,
    "GET",
    `/api/sessions/${session_id}`,
  );
  return body.data.session.goal;
}

test("[C10a] a goal that is not met sends the same run on, and is over when it is met", async () => {
  let asked = 0;
  await using model = await startAgent(
    (request) => [{ say: JSON.stringify(request.body).includes("once more") ? "Twice." : "Once." }],
    () => judged((asked += 1) === 1 ? "continue" : "met", "once more"),
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
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
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place, { apart: ["work"] });
  await withGoal(program, "g2", "be done");
  const { run_id } = await startRun(program, "begin", { session_id: "g2", model: MODEL });
  await reached.promise;
  await program.kill("work");
  const { events } = await followRun(() => program, run_id);

  assert.equal(eventsOf(events, "goal.decided").length, 1);
  assert.equal(eventsOf(events, "message.completed").length, 1, "the work itself is not repeated");
});

test("[C10b, B3] a judgement nobody can read pauses the goal", async () => {
  await using model = await startAgent([{ say: "Done." }], () => "hmm, maybe");
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  await withGoal(program, "g3", "be clear");
  const { run_id } = await startRun(program, "begin", { session_id: "g3", model: MODEL });
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "goal.decided")[0]?.payload.decision, "blocked");
  assert.equal((await goalOf(program, "g3"))?.status, "paused");
});

const THREE_READS = "pace 0\nread a\nread b\nread c\nsay done";

test("[R11, X8] a used-up budget asks, outlives a kill, and goes on with as much again", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
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

test("[R11a] stopping at a budget ends the run as stopped, with everything it said", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id } = await startRun(program, THREE_READS, { budget: { tool_calls: 2 } });
  await answerQuestion(program, run_id, "stop");
  const { events } = await followRun(() => program, run_id);
  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "cancelled");
  assert.equal(eventsOf(events, "tool.started").length, 2);
});

test("[R11] what subagents use counts for the run that sent them", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
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

test("[R11b] a limit of time asks in the middle of a command, which ends by a stop, and of an answer", async () => {
  const asked = Promise.withResolvers<void>();
  await using model = await startAgent([
    { calls: [{ name: "list", args: { path: "." } }], after: () => asked.promise },
    { say: "Done." },
  ]);
  using place = newTestHome({ base_url: model.baseUrl });
  await using program = await openPair(place);
  const limit = { budget: { wall_s: 1 } };
  const waiting = async (runId: string) => (await runInfo(program, runId)).pending_clarify_id;

  await call(program, "POST", "/api/sessions", { session_id: "t1" });
  await call(program, "POST", "/api/sessions/t1/settings", { yolo: true });
  const command = await startRun(program, "exec sleep 600\nsay never", {
    session_id: "t1",
    ...limit,
  });
  const first = await until(() => waiting(command.run_id), "the question");
  await answerQuestion(program, command.run_id, "continue");
  const next = async () => ((await waiting(command.run_id)) ?? first) !== first;
  await until(next, "a second later the next one");
  await answerQuestion(program, command.run_id, "stop");
  const stopped = (await followRun(() => program, command.run_id)).events;
  assert.equal(eventsOf(stopped, "done")[0]?.payload.status, "cancelled");
  const questions = eventsOf(stopped, "clarify.requested").map(({ payload }) => payload.question);
  assert.deepEqual(questions, [
    "This run has used 1 s of running of 1 s of running. Go on with as much again?",
    "This run has used 2 s of running of 2 s of running. Go on with as much again?",
  ]);
  const calls = eventsOf(stopped, "tool.done").map(({ payload }) => payload.status);
  assert.deepEqual(calls, ["cancelled"], "the command was ended");

  const answer = await startRun(program, "begin", { model: MODEL, ...limit });
  await until(() => waiting(answer.run_id), "a question while the model answers");
  asked.resolve();
  await answerQuestion(program, answer.run_id, "continue");
  const { events } = await followRun(() => program, answer.run_id);
  assert.equal(eventsOf(events, "done")[0]?.payload.status, "completed");
  const order = events.map(({ type }) => type);
  assert.ok(order.indexOf("clarify.requested") < order.indexOf("message.completed"));
});
