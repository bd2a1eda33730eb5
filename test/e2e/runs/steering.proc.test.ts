// Steering a session from outside: what is queued, taken back, said again, branched and compressed.
// Each command once, whatever is repeated or killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { hang, textChunk, type RecordedRequest } from "../../support/models/model-server.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { eventsOf } from "../../support/runs.ts";
import { isSideQuestion, messagesIn, startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

type Outcome = { status: string; run_id: string; session_id: string; event_id: string };
const MODEL = "scripted/agent";

async function post(server: Server, path: string, body: unknown = {}) {
  const answer = await call<Outcome>(server, "POST", path, body);
  return { code: answer.status, ...answer.body.data };
}

/** What the model was told, without the system prompt. */
function emittedIn(request: RecordedRequest): string[] {
  return messagesIn(request)
    .filter(({ role }) => role !== "system")
    .map(
      ({ role, content }) =>
        `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`,
    );
}

const answersOf = (requests: readonly RecordedRequest[]) =>
  requests.filter((request) => !isSideQuestion(request)).map(emittedIn);

/** A model that repeats the last thing it was told. */
async function startEcho(aside?: (request: RecordedRequest) => string) {
  return startAgent((request) => {
    const last = emittedIn(request).findLast((line) => line.startsWith("user: ")) ?? "";
    const said = /"text":"([^"]*)"/.exec(last)?.[1] ?? last.slice("user: ".length);
    return [{ say: `You said ${said}` }];
  }, aside);
}

async function say(server: Server, message: string, session_id?: string) {
  const run = await startRun(server, message, { model: MODEL, ...(session_id && { session_id }) });
  const { events } = await followRun(() => server, run.run_id);
  return { ...run, events };
}

const statusOf = (events: readonly RunEvent[]) => {
  const done = events.at(-1);
  return done?.type === "done" ? done.payload.status : undefined;
};

test("[C12a] what was undone is told to no model any more, stays readable, and is undone once", async () => {
  await using model = await startEcho();
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const first = await say(program, "one");
  const second = await say(program, "two", first.session_id);
  const path = `/api/sessions/${first.session_id}/undo`;

  const undone = await post(program, path, { command_id: "u1" });
  const again = await post(program, path, { command_id: "u1" });
  await say(program, "three", first.session_id);

  assert.deepEqual([undone.status, again.status], ["accepted", "duplicate"]);
  assert.deepEqual(answersOf(model.requests).at(-1), [
    "user: one",
    "assistant: You said one",
    "user: three",
  ]);
  const kept = await readEvents(program, `/api/runs/${second.run_id}/events`);
  assert.equal(kept.frames.length, second.events.length);
});

test("[C12] retry says the same again in a new run, rerun other words; neither tells what it replaced", async () => {
  await using model = await startEcho();
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const first = await say(program, "one");
  const second = await say(program, "two", first.session_id);

  const retried = await post(program, `/api/sessions/${first.session_id}/retry`, {
    command_id: "r",
  });
  const repeated = await post(program, `/api/sessions/${first.session_id}/retry`, {
    command_id: "r",
  });
  await followRun(() => program, retried.run_id);
  assert.equal(repeated.run_id, retried.run_id);
  assert.notEqual(retried.run_id, second.run_id);
  assert.deepEqual(answersOf(model.requests).at(-1), [
    "user: one",
    "assistant: You said one",
    "user: two",
  ]);

  const rerun = await post(program, `/api/runs/${first.run_id}/rerun`, { message: "uno" });
  await followRun(() => program, rerun.run_id);
  assert.deepEqual(answersOf(model.requests).at(-1), ["user: uno"]);
});

test("[C13] a branch knows its parent's past up to its point, and nothing that came or was undone later", async () => {
  await using model = await startEcho();
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const first = await say(program, "one");
  const second = await say(program, "two", first.session_id);
  const end = second.events.at(-1)?.seq;
  await say(program, "three", first.session_id);

  const branch = await post(program, `/api/sessions/${first.session_id}/branch`, {
    run_id: second.run_id,
    seq: end,
    command_id: "b",
  });
  const repeated = await post(program, `/api/sessions/${first.session_id}/branch`, {
    run_id: second.run_id,
    seq: end,
    command_id: "b",
  });
  for (const _ of ["three", "two", "one"]) {
    const undone = await post(program, `/api/sessions/${first.session_id}/undo`);
    assert.equal(undone.status, "accepted");
  }
  assert.equal(repeated.session_id, branch.session_id);
  assert.notEqual(branch.session_id, first.session_id);
  await say(program, "four", branch.session_id);
  assert.deepEqual(answersOf(model.requests).at(-1), [
    "user: one",
    "assistant: You said one",
    "user: two",
    "assistant: You said two",
    "user: four",
  ]);
});

test("[R10a, C11] compressing tells models the summary instead; what was compressed stays readable", async () => {
  let asked = 0;
  await using model = await startEcho(() => {
    asked += 1;
    return "SUMMARY: they counted.";
  });
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const first = await say(program, "one");
  await say(program, "two", first.session_id);

  const command = await post(program, `/api/sessions/${first.session_id}/compress`, {
    command_id: "c",
  });
  const { events } = await followRun(() => program, command.run_id);
  await say(program, "three", first.session_id);

  assert.equal(statusOf(events), "completed");
  assert.equal(asked, 1);
  const [emitted = []] = answersOf(model.requests).slice(-1);
  assert.equal(emitted.length, 1, "both are the user's side: roles alternate");
  assert.match(emitted[0] ?? "", /^user: .*SUMMARY: they counted\.\n\n\[End.*\]\n\nthree$/s);
  const kept = await readEvents(program, `/api/runs/${first.run_id}/events`);
  assert.equal(kept.frames.length, first.events.length, "what was compressed is still there");
});

test("[R10b, R1] killed in the middle of compressing, the same run goes on and compresses once", async () => {
  const reached = Promise.withResolvers<void>();
  let first = true;
  await using model = await startAgent(
    () => [{ say: "Fine." }],
    () => {
      reached.resolve();
      const reply = first ? [textChunk("half "), hang] : "SUMMARY";
      first = false;
      return reply;
    },
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place, { apart: ["work"] });
  const { session_id } = await say(program, "one");
  const command = await post(program, `/api/sessions/${session_id}/compress`);
  await reached.promise;
  await program.kill("work");

  const { events } = await followRun(() => program, command.run_id);

  assert.equal(statusOf(events), "completed");
  const completed = eventsOf(events, "compaction").filter(
    ({ payload }) => payload.phase === "completed",
  );
  assert.equal(completed.length, 1);
});

test("[C8] what waits can be edited, moved and taken back, and runs as it then stands", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["serve", "work"] });
  const running = await startRun(program, "pace 5\ncount 2000");
  const queue = async (name: string) => {
    const body = { message: `say ${name}`, mode: "queue", message_id: `id-${name}` };
    return post(program, `/api/runs/${running.run_id}/messages`, body);
  };
  const [a, b, c] = [await queue("a"), await queue("b"), await queue("c")];

  const moved = await post(program, `/api/runs/${c.run_id}/move`, { before: a.run_id });
  const edited = await post(program, `/api/runs/${a.run_id}/messages/id-a`, { text: "say A" });
  const taken = await post(program, `/api/runs/${b.run_id}/messages/id-b`, { text: null });
  const unknown = await post(program, `/api/runs/${a.run_id}/messages/id-x`, { text: "say x" });
  assert.deepEqual([moved.status, edited.status, taken.status], Array(3).fill("accepted"));
  assert.equal(unknown.code, 404);
  await program.killAll();
  await using again = await openPair(place);
  await post(again, `/api/runs/${running.run_id}/cancel`);

  const ended = new Map<string, readonly RunEvent[]>();
  for (const { run_id } of [a, b, c]) {
    ended.set(run_id, (await followRun(() => again, run_id)).events);
  }
  assert.equal(statusOf(ended.get(b.run_id) ?? []), "cancelled");
  const startedAt = (id: string) =>
    eventsOf(ended.get(id) ?? [], "run.started")[0]?.session_seq ?? 0;
  assert.ok(startedAt(c.run_id) < startedAt(a.run_id), "c was moved before a");
  assert.equal(
    eventsOf(ended.get(a.run_id) ?? [], "message.completed")[0]?.payload.text.trim(),
    "A",
  );
  const late = await post(again, `/api/runs/${a.run_id}/messages/id-a`, { text: "say B" });
  assert.equal(late.status, "not_active");
});

test("[C3, C8] a steer can be changed until a model has read it", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "pace 5\ncount 200");
  await readEvents(program, `/api/runs/${run_id}/events`, { take: 20 });
  const steer = { message: "first words", mode: "steer", message_id: "s1" };
  await post(program, `/api/runs/${run_id}/messages`, steer);
  const edited = await post(program, `/api/runs/${run_id}/messages/s1`, {
    text: "say other words",
  });
  const { events } = await followRun(() => program, run_id);

  assert.equal(edited.status, "accepted");
  const late = await post(program, `/api/runs/${run_id}/messages/s1`, { text: "too late" });
  assert.equal(late.status, "not_active");
  assert.equal(eventsOf(events, "message.edited").length, 1);
});

test("[C9] a session gets a title of its own, once, and never over a person's", async () => {
  await using model = await startEcho(() => '"Counting Things."');
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL, titles: true });
  await using program = await openPair(place);
  const { session_id } = await say(program, "one");
  const title = async (id: string) =>
    (await call<{ session: { title: string } }>(program, "GET", `/api/sessions/${id}`)).body.data
      .session.title;
  await until(async () => (await title(session_id)) === "Counting Things", "the title");
  await say(program, "two", session_id);
  assert.equal(model.requests.filter(isSideQuestion).length, 1, "asked for once");

  const named = await post(program, "/api/sessions", { session_id: "mine" });
  await post(program, `/api/sessions/${named.session_id}/title`, { title: "My own" });
  await say(program, "three", named.session_id);
  assert.equal(await title(named.session_id), "My own");
});
