// Two runners on one home. The one that holds a run is stopped, the other takes over, the first
// wakes up and goes on as if nothing had happened: not a byte and not an effect may come of it.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ON_POSTGRES, onSqlite } from "../../support/backend.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { openServer } from "../../support/pair.ts";
import { startWork, type Lone } from "../../support/processes.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import {
  answerOf,
  answerQuestion,
  approve,
  countTo,
  eventsOf,
  processesWith,
  runInfo,
  textOf,
} from "../../support/runs.ts";
import { until } from "../../support/until.ts";

type Runners = { runners: { pid: number; id: string; runs: string[] }[] };

async function startBoth(place: TestHome) {
  const server = await openServer(place);
  const [one, two] = await Promise.all([startWork(place), startWork(place)]);
  return {
    server,
    one,
    two,
    async [Symbol.asyncDispose]() {
      for (const each of [one, two, server]) await each[Symbol.asyncDispose]();
    },
  };
}

/** Which of the two holds the run, and which does not. */
async function holderOf(server: Server, runId: string, [one, two]: [Lone, Lone]) {
  const runner = await until(async () => {
    const { body } = await call<Runners>(server, "GET", "/api/status");
    return body.data.runners.find(({ runs }) => runs.includes(runId));
  }, "somebody to hold the run");
  return runner.pid === one.pid ? { holder: one, other: two } : { holder: two, other: one };
}

const recovered = async (server: Server, runId: string) => {
  const { frames } = await readEvents(server, `/api/runs/${runId}/events`, {
    until: ({ data }) => data.includes('"type":"recovery"'),
  });
  return frames.length;
};

/** Whether the process is inside a transaction that others have to wait for. */
async function isCommitting({ pid }: Lone, place: TestHome): Promise<boolean> {
  if (ON_POSTGRES) {
    const sql = `SELECT pid FROM pg_stat_activity WHERE state <> 'idle'
      AND application_name = ? AND xact_start IS NOT NULL`;
    return (await rawSql(place, sql, `quarterdeck ${pid}`)).length > 0;
  }
  const { ino } = statSync(join(place.home, "journal.db-shm")); // writers lock this byte of it
  const lock = new RegExp(` WRITE ${pid} \\S+:${ino} 120 120$`, "m");
  return lock.test(readFileSync("/proc/locks", "utf8"));
}

/** Stops the process at a moment when it is, or is not, inside a commit. */
async function stop(lone: Lone, place: TestHome, { committing }: { committing: boolean }) {
  await until(async () => {
    lone.signal("SIGSTOP");
    await until(() => textOf(`/proc/${lone.pid}/stat`).includes(") T "), "it to be stopped");
    if ((await isCommitting(lone, place)) === committing) return true;
    lone.signal("SIGCONT");
    return false;
  }, "the right moment");
}

/** The stale runner is awake and well: it does the next run, once the other one is gone. */
async function worksAgain(server: Server, other: Lone) {
  other.signal("SIGKILL");
  await other.ended;
  const { run_id } = await startRun(server, "pace 0\nsay still here");
  const { events } = await followRun(() => server, run_id);
  assert.deepEqual(answerOf(events), ["still here"]);
}

test("[X5, J2] a runner stopped mid-answer writes nothing after another took over", async () => {
  using place = newTestHome({ lease_ms: 600 });
  await using both = await startBoth(place);
  const { server, one, two } = both;
  const { run_id } = await startRun(server, "pace 4\ncount 250");
  await readEvents(server, `/api/runs/${run_id}/events`, { take: 40 });
  const { holder, other } = await holderOf(server, run_id, [one, two]);
  await stop(holder, place, { committing: false });
  const at = await recovered(server, run_id);
  holder.signal("SIGCONT"); // both are at it now: one of them must not be

  const { events } = await followRun(() => server, run_id);
  await worksAgain(server, other);
  const later = await followRun(() => server, run_id);

  assert.deepEqual(answerOf(events), [countTo(250)]);
  const stale = events.slice(at).filter(({ payload }) => JSON.stringify(payload).includes("m1.1"));
  assert.deepEqual(stale, [], "nothing of the first attempt after the takeover");
  assert.equal(eventsOf(events, "recovery").length, 1);
  assert.equal(events.filter(({ terminal }) => terminal).length, 1);
  assert.equal(later.events.length, events.length, "and nothing after the end");
  assert.equal(events.at(-1)?.type, "done");
});

// In Postgres a stopped runner is not ended, its transaction is: test/e2e/postgres.
onSqlite(
  "[X5, X6] a runner stopped inside a commit blocks nobody: it is ended, and the run goes on",
  endsStoppedWriter,
);

async function endsStoppedWriter(): Promise<void> {
  using place = newTestHome({ lease_ms: 600 });
  await using both = await startBoth(place);
  const { server, one, two } = both;
  const { run_id } = await startRun(server, "pace 2\ncount 500");
  await readEvents(server, `/api/runs/${run_id}/events`, { take: 20 });
  const { holder } = await holderOf(server, run_id, [one, two]);
  await stop(holder, place, { committing: true });

  const { events } = await followRun(() => server, run_id);
  assert.deepEqual(answerOf(events), [countTo(500)]);
  assert.equal(eventsOf(events, "recovery").length, 1);
  assert.equal(await holder.ended, "SIGKILL");
}

test("[X5, X4, R6, X3] a runner stopped mid-tool: its process is dead before the other goes on", async () => {
  using place = newTestHome({ lease_ms: 3_000 });
  await using both = await startBoth(place);
  const { server, one, two } = both;
  const ledger = join(place.workspace, "ledger");
  const nap = `sleep 60.${process.pid}1`;
  const command = `echo ran >> ledger; ${nap}; echo late >> ledger`;
  const { run_id } = await startRun(server, `pace 0\nexec ${command}\nsay after`);
  await approve(server, run_id);
  await until(() => textOf(ledger) !== "", "the tool's effect");
  const { holder, other } = await holderOf(server, run_id, [one, two]);
  assert.ok(processesWith(nap).length > 0);
  await stop(holder, place, { committing: false });
  await recovered(server, run_id);
  assert.deepEqual(processesWith(nap), [], "dead before the recovery was journaled");
  holder.signal("SIGCONT");

  await answerQuestion(server, run_id, "mark_done");
  const { events } = await followRun(() => server, run_id);
  await worksAgain(server, other);

  assert.equal(textOf(ledger), "ran\n");
  assert.deepEqual(answerOf(events), ["after"]);
  assert.equal(eventsOf(events, "tool.started").length, 1);
  assert.deepEqual(
    eventsOf(events, "tool.done").map(({ payload }) => payload.status),
    ["marked_done"],
    "what the stale runner's host had to say came too late",
  );
  assert.equal(events.filter(({ terminal }) => terminal).length, 1);
});

test("[X5, X3] a runner that slept through an answered approval does not execute it again", async () => {
  using place = newTestHome({ lease_ms: 3_000 });
  await using both = await startBoth(place);
  const { server, one, two } = both;
  const ledger = join(place.workspace, "ledger");
  const { run_id } = await startRun(server, "pace 0\nexec echo ran >> ledger\nsay after");
  await until(async () => (await runInfo(server, run_id)).pending_approval_id, "the approval");
  const { holder, other } = await holderOf(server, run_id, [one, two]);
  await stop(holder, place, { committing: false });
  await recovered(server, run_id);
  await Promise.all([approve(server, run_id), Promise.resolve(holder.signal("SIGCONT"))]);
  const { events } = await followRun(() => server, run_id);
  await worksAgain(server, other);

  assert.equal(textOf(ledger), "ran\n");
  assert.equal(eventsOf(events, "tool.started").length, 1);
  assert.deepEqual(answerOf(events), ["after"]);
});

test("[R6, R1] a runner told to stop at once hands its run over, long before its lease is over", async () => {
  using place = newTestHome({ lease_ms: 600_000 }); // nobody waits for that here
  await using both = await startBoth(place);
  const { server, one, two } = both;
  const { run_id } = await startRun(server, "pace 4\ncount 250");
  await readEvents(server, `/api/runs/${run_id}/events`, { take: 40 });
  const { holder } = await holderOf(server, run_id, [one, two]);
  holder.signal("SIGINT");
  await recovered(server, run_id);

  assert.equal(await holder.ended, 0);
  const { events } = await followRun(() => server, run_id);
  assert.deepEqual(answerOf(events), [countTo(250)]);
});

test("[X4, X3] a runner told to stop at once mid-tool leaves no process, and the other asks what happened", async () => {
  using place = newTestHome({ lease_ms: 60_000 });
  await using both = await startBoth(place);
  const { server, one, two } = both;
  const nap = `sleep 60.${process.pid}2`;
  const command = `echo ran >> ledger; ${nap}; echo late >> ledger`;
  const { run_id } = await startRun(server, `pace 0\nexec ${command}\nsay after`);
  await approve(server, run_id);
  await until(() => textOf(join(place.workspace, "ledger")) !== "", "the tool's effect");
  const { holder } = await holderOf(server, run_id, [one, two]);
  holder.signal("SIGINT");
  assert.equal(await holder.ended, 0);
  assert.deepEqual(processesWith(nap), []);

  await answerQuestion(server, run_id, "skip");
  const { events } = await followRun(() => server, run_id);
  assert.equal(textOf(join(place.workspace, "ledger")), "ran\n");
  assert.equal(eventsOf(events, "tool.outcome_unknown").length, 1);
  assert.deepEqual(answerOf(events), ["That did not work (exec); I go on.\nafter"]);
});
