// Subagents are runs of their own: they outlive their parent's runner and end with their parent's end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { kill, newTestHome, startProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";

type Record = { run_id: string; parent_run_id: string | null; status: string; fence: number };

async function childrenOf(program: Server, sessionId: string): Promise<Record[]> {
  const { body } = await call<{ runs: Record[] }>(program, "GET", `/api/sessions/${sessionId}`);
  return body.data.runs.filter(({ parent_run_id }) => parent_run_id !== null);
}

async function delegating(program: Server, words: number) {
  const script = `delegate counter: pace 5 ;; count ${words}\nsay the parent is done`;
  const run = await startRun(program, script);
  const child = await until(
    async () => (await childrenOf(program, run.session_id))[0],
    "the child",
  );
  await readEvents(program, `/api/runs/${child.run_id}/events`, { take: 20 });
  return { ...run, childId: child.run_id };
}

test("[R1, R5] parent and child both go on when their runner is killed, and there is one child", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id, session_id, childId } = await delegating(program, 150);
  await program.kill("work");

  const parent = await followRun(() => program, run_id);
  const child = await followRun(() => program, childId);

  assert.deepEqual(
    (await childrenOf(program, session_id)).map(({ run_id: id, status }) => ({ id, status })),
    [{ id: childId, status: "completed" }],
  );
  assert.equal(parent.events.filter(({ type }) => type === "subagent.started").length, 1);
  assert.equal(parent.events.filter(({ type }) => type === "subagent.completed").length, 1);
  assert.equal(child.events.filter(({ type }) => type === "recovery").length, 1);
  const done = parent.events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");
});

test("[C4c] cancelling a parent cancels its child", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id, childId } = await delegating(program, 5_000);
  await call(program, "POST", `/api/runs/${run_id}/cancel`, {});

  for (const id of [run_id, childId]) {
    const done = (await followRun(() => program, id)).events.at(-1);
    assert.ok(done?.type === "done" && done.payload.status === "cancelled", id);
  }
});

test("[C4c] a cancel that was admitted while no runner lived still reaches the child", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id, childId } = await delegating(program, 5_000);
  const pid = await program.kill("work");
  await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  await until(async () => (await program.status()).runners.some((runner) => runner.pid !== pid));

  for (const id of [run_id, childId]) {
    const done = (await followRun(() => program, id)).events.at(-1);
    assert.ok(done?.type === "done" && done.payload.status === "cancelled", id);
  }
});

test("[R1] a runner that is told to stop hands its runs over; it does not end their children", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const { run_id, childId } = await delegating(program, 200);
  const [runner] = (await program.status()).runners;
  kill(runner?.pid ?? 0, "SIGTERM");

  for (const id of [run_id, childId]) {
    const done = (await followRun(() => program, id)).events.at(-1);
    assert.ok(done?.type === "done" && done.payload.status === "completed", id);
  }
});
