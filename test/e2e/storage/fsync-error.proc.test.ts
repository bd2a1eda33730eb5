// A disk that fails to sync, injected below Node by strace. Where there is no strace the test says so, and the rule is
// only tried by hand; CONTRIBUTING.md says how.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { ON_POSTGRES, onSqlite } from "../../support/backend.ts";
import { followRun } from "../../support/follow.ts";
import { readEvents, startRun } from "../../support/http.ts";
import { needing, STRACE } from "../../support/needing.ts";
import { MAIN, newTestHome, startProgram, type TestHome } from "../../support/program.ts";

const CALLS = "fsync,fdatasync";
const canInject =
  spawnSync("strace", ["-f", "-o", "/dev/null", "-e", `trace=${CALLS}`, "true"]).status === 0;
// A Postgres that cannot sync ends by itself; to us it is away.
const test = ON_POSTGRES ? onSqlite : needing(canInject, STRACE);
test(
  "[J9, D5] after a failed sync the process ends at once, and a restart loses nothing",
  endsAndRecovers,
);

async function endsAndRecovers(): Promise<void> {
  using place = newTestHome();
  const failed = await workOnFailingDisk(place);
  assert.equal(failed.code, 74, failed.output);
  assert.match(failed.output, /^Stopping: storage failed/m);

  await using program = await startProgram(place);
  const end = await followRun(() => program, failed.runId);
  const done = end.events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");
  const recoveries = end.events.filter(({ type }) => type === "recovery");
  assert.equal(recoveries.length, 2, "by the runner whose disk failed, and after it");
}

/** Starts a run, kills everything, then goes on with a runner whose 60th sync fails. */
async function workOnFailingDisk(place: TestHome) {
  const runId = await startAndKill(place);
  const flags = ["--home", place.home, "--workspace", place.workspace];
  const inject = ["-e", `trace=${CALLS}`, "-e", `inject=${CALLS}:error=EIO:when=60+`];
  const work = [process.execPath, MAIN, "work", ...flags];
  const child = spawn("strace", ["-f", "-o", "/dev/null", ...inject, ...work], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  return { runId, code: child.exitCode, output };
}

async function startAndKill(place: TestHome): Promise<string> {
  await using program = await startProgram(place);
  const { run_id } = await startRun(program, "pace 3\ncount 900");
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"token.delta"'), // a run that nobody began needs no recovery
  });
  await program.kill("all");
  return run_id;
}
