// The clock of the machine is set, and the machine sleeps, while runs answer, work and wait. Nothing of that is an
// interruption: no run is recovered, no step asked for again, no command's outcome unknown, no approval over.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { fakeClock, faketime } from "../../support/fake-clock.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { startServe, startWork, type Lone } from "../../support/processes.ts";
import { FAKETIME, needing } from "../../support/needing.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import { answerOf, approve, countTo, eventsOf, runInfo, textOf } from "../../support/runs.ts";
import { until } from "../../support/until.ts";
import { writeProfile } from "../../support/profiles.ts";

const LEASE_MS = 2_000;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const COUNT = 120;
const library = faketime();

async function startAll(place: TestHome, runners: number) {
  const clock = fakeClock(library ?? "", dirname(place.home));
  const { env } = clock;
  const server = await startServe(place, { env });
  const work = await Promise.all(Array.from({ length: runners }, () => startWork(place, { env })));
  const all: Lone[] = [server, ...work];
  return {
    server,
    clock,
    all,
    async [Symbol.asyncDispose]() {
      for (const one of all) await one[Symbol.asyncDispose]();
    },
  };
}

/** One run that answers, one in a command, one that waits for a person and may not wait for long. */
async function startRuns(server: Server, place: TestHome) {
  const waits = "echo ran >> ledger; until [ -e end ]; do sleep 0.1; done";
  const working = await startRun(server, `pace 0\nexec ${waits}\nsay worked`);
  await approve(server, working.run_id);
  await until(() => textOf(join(place.workspace, "ledger")) !== "", "the command to begin");
  const asking = await startRun(server, "pace 0\nexec echo hello\nsay asked", { profile: "hasty" });
  await until(async () => (await runInfo(server, asking.run_id)).pending_approval_id, "a question");
  const answering = await startRun(server, `pace 100\ncount ${COUNT}`);
  await until(async () => (await runInfo(server, answering.run_id)).seq > 5, "some words");
  return { working, asking, answering };
}

/** Every lease was renewed again and again since, and who looks for runs to claim has looked. */
async function lifeGoesOn(place: TestHome): Promise<void> {
  const sql = "SELECT log_id, lease_until FROM logs WHERE runner_id IS NOT NULL";
  const leases = async () =>
    new Map((await rawSql(place, sql)).map((row) => [row["log_id"], row["lease_until"]]));
  for (let beat = 0; beat < 3; beat += 1) {
    const before = await leases();
    await until(async () => {
      const now = await leases();
      return [...before].every(([id, lease]) => now.get(id) !== lease);
    }, "the leases to be renewed");
  }
}

async function endAll(
  server: Server,
  place: TestHome,
  runs: Awaited<ReturnType<typeof startRuns>>,
) {
  writeFileSync(join(place.workspace, "end"), "");
  await approve(server, runs.asking.run_id);
  const ended: RunEvent[][] = [];
  for (const { run_id } of [runs.working, runs.asking, runs.answering]) {
    ended.push((await followRun(() => server, run_id)).events as RunEvent[]);
  }
  assert.deepEqual(ended.map(answerOf), [["worked"], ["asked"], [countTo(COUNT)]]);
  for (const events of ended) {
    for (const type of ["recovery", "turn.superseded", "tool.outcome_unknown", "error"] as const) {
      assert.deepEqual(eventsOf(events, type), [], type);
    }
    assert.equal(eventsOf(events, "done")[0]?.payload.status, "completed");
    const answers = eventsOf(events, "approval.resolved").map(({ payload }) => payload.status);
    assert.ok(answers.every((status) => status === "approved"));
  }
  assert.equal(textOf(join(place.workspace, "ledger")), "ran\n");
}

function newHome() {
  const place = newTestHome({ lease_ms: LEASE_MS, resume_max_age_s: 600 });
  writeProfile(place, "hasty", { settings: { approval_expires_s: 600 } });
  return place;
}

async function keepsRuns(runners: number): Promise<void> {
  using place = newHome();
  await using started = await startAll(place, runners);
  const { server, clock, all } = started;
  const runs = await startRuns(server, place);
  for (const seconds of [HOUR_S, -HOUR_S, DAY_S, -DAY_S, 0]) {
    clock.set(seconds);
    await lifeGoesOn(place);
  }
  for (const one of all) one.signal("SIGSTOP");
  const stopped = performance.now();
  clock.set(3 * DAY_S);
  await until(() => performance.now() - stopped > 1.5 * LEASE_MS, "every lease to be over");
  for (const one of all) one.signal("SIGCONT");
  await lifeGoesOn(place);
  await endAll(server, place, runs);
}

async function keepsSchedules(): Promise<void> {
  using place = newHome();
  await using started = await startAll(place, 1);
  const { server, clock } = started;
  const when = { schedule: "every 1s", overlap: "start" };
  const beat = { job_id: "beat", name: "Beat", prompt: "say beat", ...when };
  assert.equal((await call(server, "POST", "/api/cron/jobs", beat)).body.ok, true);
  type History = { ticks: { due_at: number; times: number | null }[] };
  const ticks = async () =>
    (await call<History>(server, "GET", "/api/cron/jobs/beat/history?limit=200")).body.data.ticks;
  const more = async (what: string) => {
    const before = (await ticks()).length;
    await until(async () => (await ticks()).length > before, what);
  };
  await more("the first time");
  for (const seconds of [DAY_S, -DAY_S, HOUR_S]) {
    clock.set(seconds);
    const asked = performance.now();
    await until(() => performance.now() - asked > 2_500, "two times to be due");
    clock.set(0);
    await more("the next time, when the clock is right again");
  }
  const latest = Math.max(...(await ticks()).map(({ due_at }) => due_at));
  assert.ok(latest < Date.now() / 1_000 + 60, "nothing was decided of a day that did not come");
  assert.ok((await ticks()).every(({ times }) => (times ?? Infinity) < 60));
}

const test = needing(library !== undefined, FAKETIME);
for (const runners of [1, 2]) {
  test(`[R5, P5a] a set clock and a suspended machine interrupt nothing: ${runners} runner(s)`, () =>
    keepsRuns(runners));
}
test(
  "[G4, Z4] a clock set by ±1 h and ±1 d and back leaves schedules as they were",
  keepsSchedules,
);
