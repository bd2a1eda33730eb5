// When a run may go on by itself after its runner was lost, and when it may not.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { followRun } from "../../support/follow.ts";
import { readEvents, startRun } from "../../support/http.ts";
import { startWork } from "../../support/processes.ts";
import { openServer, openPair, type Pair } from "../../support/pair.ts";
import { kill, newTestHome, type TestHome } from "../../support/program.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import {
  answerOf,
  answerQuestion,
  approve,
  countTo,
  eventsOf,
  isRunning,
  runInfo,
} from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const endOf = (events: readonly RunEvent[]) => {
  const [done] = eventsOf(events, "done");
  return [done?.payload.status, done?.payload.error?.code];
};

/**
 * Kills the runner once the nth attempt at the answer has said something. Whom to kill is known before: looking takes
 * longer than some runs do. One that was killed owns the run until the next one has it.
 */
async function killDuring(program: Pair, runId: string, attempt: number) {
  const owner = await until(async () => {
    const { runners } = await program.status();
    return runners.find(({ pid, runs }) => runs.includes(runId) && pid === program.pid("work"))
      ?.pid;
  }, "its runner");
  await readEvents(program, `/api/runs/${runId}/events`, {
    until: ({ data }) => data.includes(`"message_id":"m1.${attempt}","delta"`),
  });
  kill(owner, "SIGKILL");
  await until(() => !isRunning(owner), "it to be gone");
}

test("[R5a, X6] a run that loses its runner again and again at one point fails, with the reason", async () => {
  using place = newTestHome({ resume_attempts: 2 });
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id } = await startRun(program, "pace 100\ncount 500");
  for (const attempt of [1, 2, 3]) await killDuring(program, run_id, attempt);
  const { events } = await followRun(() => program, run_id);

  assert.deepEqual(endOf(events), ["failed", "recovery_exhausted"]);
  assert.deepEqual(
    eventsOf(events, "recovery").map(({ payload }) => payload.attempt),
    [1, 2, 3],
  );
  assert.deepEqual(
    events.slice(-3).map(({ type }) => type),
    ["error", "usage.final", "done"],
  );
});

test("[R5a] progress in between gives a run its attempts back", async () => {
  using place = newTestHome({ resume_attempts: 1 });
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id } = await startRun(
    program,
    "pace 8\ncount 60\ntodo a\ncount 60\ntodo b\ncount 60",
  );
  for (const turn of [1, 2, 3]) {
    await readEvents(program, `/api/runs/${run_id}/events`, {
      until: ({ data }) => data.includes(`"message_id":"m${turn}.1","delta"`),
    });
    await program.kill("work");
  }
  const { events } = await followRun(() => program, run_id);
  assert.deepEqual(endOf(events), ["completed", undefined]);
  assert.deepEqual(answerOf(events), [countTo(60), countTo(60), countTo(60)]);
});

test('[R5] resume: "never" ends an interrupted run, and leaves the next one alone', async () => {
  using place = newTestHome({ resume: "never" });
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id, session_id } = await startRun(program, "pace 100\ncount 500");
  await killDuring(program, run_id, 1);
  const { events } = await followRun(() => program, run_id);
  assert.deepEqual(endOf(events), ["failed", "interrupted"]);
  const next = await startRun(program, "say next", { session_id });
  assert.deepEqual(answerOf((await followRun(() => program, next.run_id)).events), ["next"]);
});

for (const [choice, ending] of [
  ["continue", ["completed", undefined]],
  ["stop", ["failed", "interrupted"]],
] as const) {
  test(`[R5] resume: "ask" waits for a person, who says ${choice}`, async () => {
    using place = newTestHome({ resume: "ask" });
    await using program = await openPair(place, { apart: ["work"] });
    const { run_id } = await startRun(program, "pace 10\ncount 400");
    await killDuring(program, run_id, 1);
    await until(async () => (await runInfo(program, run_id)).pending_clarify_id, "the question");
    assert.equal((await runInfo(program, run_id)).status, "awaiting_clarify");
    const { seq } = await runInfo(program, run_id);
    await program.kill("work"); // the question outlives its runner too
    if (choice === "continue") {
      await until(async () => (await runInfo(program, run_id)).seq > seq, "the next runner");
      assert.ok((await runInfo(program, run_id)).pending_clarify_id, "it waits as well");
    } // else the answer comes while nobody is there to hear it
    await answerQuestion(program, run_id, choice);
    const { events } = await followRun(() => program, run_id);
    assert.deepEqual(endOf(events), ending);
    assert.equal(eventsOf(events, "turn.started").length, choice === "continue" ? 2 : 1);
  });
}

test("[R5b, R5c] a run interrupted for too long expires; one that waits for a person does not", async () => {
  using place = newTestHome({ resume_max_age_s: 1, lease_ms: 600 }); // its age counts from its last lease
  await using server = await openServer(place);
  let lost: string;
  let parked: string;
  {
    await using _work = await startWork(place);
    lost = (await startRun(server, "pace 100\ncount 500")).run_id;
    parked = (await startRun(server, "pace 0\nexec echo ran\nsay after")).run_id;
    await readEvents(server, `/api/runs/${lost}/events`, { take: 20 });
    await until(async () => (await runInfo(server, parked)).pending_approval_id, "the approval");
  }
  const head = await runInfo(server, lost);
  const { runner_id: gone } = await runInfo(server, parked);
  await until(async () => (await ageOf(place, lost)) > 2.5, "its age");
  assert.equal((await runInfo(server, lost)).seq, head.seq);
  await using _work = await startWork(place);
  const { events } = await followRun(() => server, lost);
  assert.deepEqual(endOf(events), ["expired", "recovery_expired"]);
  const [done] = eventsOf(events, "done");
  assert.match(String(done?.payload.result), /^1 2 /, "what it had said is kept");
  await until(async () => {
    const { runner_id } = await runInfo(server, parked);
    return runner_id !== null && runner_id !== gone;
  }, "the other runner to wait for the person");
  await approve(server, parked);
  const kept = await followRun(() => server, parked);
  assert.deepEqual(endOf(kept.events), ["completed", undefined]);
});

async function ageOf(place: TestHome, runId: string): Promise<number> {
  const [row] = await rawSql(place, "SELECT last_at FROM logs WHERE log_id = ?", runId);
  return Date.now() / 1_000 - Number(row?.["last_at"]);
}
