// From a file to Postgres and back with the real program: the runs that were under way go on under their ids, with
// the text that was on screen, and whoever was connected notices nothing but a pause.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { followRun } from "../../support/follow.ts";
import { readEvents, startRun } from "../../support/http.ts";
import { sharedPostgres } from "../../support/postgres/postgres.ts";
import {
  MAIN,
  newTestHome,
  quarterdeck,
  startProgram,
  type TestHome,
} from "../../support/program.ts";
import { answerOf, countTo, eventsOf, runInfo } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

/** What is set in the home holds for every command that is given it. */
function keepIn({ home }: TestHome, database: string | undefined): void {
  const path = join(home, "config.json");
  const settings = JSON.parse(readFileSync(path, "utf8")) as object;
  writeFileSync(path, JSON.stringify({ ...settings, database }));
}

async function migrated(from: string, to: string): Promise<void> {
  const { code, stdout, stderr } = await quarterdeck(["migrate", "--from", from, "--to", to]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Moved from .*; every hash was checked at both ends\.\n/);
  assert.ok(!stdout.includes(new URL(to.startsWith("/") ? from : to).password), "no password");
}

/** It must not be over before a command has been refused meanwhile. */
const LONG = "pace 25\ncount 300";

test("[K3, X1, V1] a run goes on in Postgres, and the next one back in a file, with their text, ids and cursors", async () => {
  using place = newTestHome();
  using later = newTestHome();
  const server = await sharedPostgres();
  const url = await server.database();
  const once = { message_id: "only-once", session_id: "s1" };
  let [first, second, epoch, token] = ["", "", "", ""];
  let shown: string[] = [];
  {
    await using program = await startProgram(place);
    first = (await startRun(program, LONG, once)).run_id;
    second = (await startRun(program, "pace 4\ncount 300", { session_id: "s1" })).run_id;
    const { frames } = await readEvents(program, `/api/runs/${first}/events`, { take: 40 });
    shown = frames.map(({ data }) => data);
    ({ epoch } = await program.status());
    const refused = await quarterdeck(["migrate", "--from", place.home, "--to", url]);
    assert.equal(refused.code, 3);
    assert.match(
      refused.stderr,
      /is in use \(runner \d+ on \S+, serve \d+ on \S+\)\. Stop Quarterdeck first\.\n$/,
    );
    ({ token } = program);
    await program.kill("all");
  }
  await migrated(place.home, url);
  keepIn(place, url);
  {
    await using program = await startProgram(place);
    assert.equal((await program.status()).epoch, epoch);
    const known = { ...program, token };
    const after = `/api/runs/${first}/events?cursor=${epoch}/${first}:${shown.length}`;
    const rest = await readEvents(known, after, { take: 1 });
    const id = `${first}:${shown.length + 1}`;
    assert.equal(rest.frames[0]?.id, id, "the cursor and the token are what they were");
    const { events, frames } = await followRun(() => known, first);
    assert.deepEqual(answerOf(events), [countTo(300)]);
    assert.deepEqual(
      frames.slice(0, shown.length).map(({ data }) => data),
      shown,
    );
    assert.equal(eventsOf(events, "recovery").length, 1);
    const again = await startRun(known, LONG, once);
    assert.deepEqual([again.run_id, again.status], [first, "duplicate"]);
    const { frames: next } = await readEvents(known, `/api/runs/${second}/events`, { take: 30 });
    shown = next.map(({ data }) => data);
    await program.kill("all");
  }
  await migrated(url, later.home);
  {
    await using program = await startProgram(later);
    assert.deepEqual([(await program.status()).epoch, program.token], [epoch, token]);
    const { events, frames } = await followRun(() => program, second);
    assert.deepEqual(answerOf(events), [countTo(300)]);
    assert.deepEqual(
      frames.slice(0, shown.length).map(({ data }) => data),
      shown,
    );
    for (const runId of [first, second]) {
      assert.equal((await runInfo(program, runId)).status, "completed");
    }
  }
  await server.drop(url);
});

/** A target in which nothing comes any further while the lock is held. */
const HELD = `CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
  CREATE TRIGGER held BEFORE INSERT ON quarterdeck.logs FOR EACH ROW EXECUTE FUNCTION held()`;
const WAITING = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

test("[D1, J10] kill -9 in the middle leaves a target that is refused, and the next try completes it", async () => {
  using place = newTestHome();
  const at = ["--home", place.home, "--workspace", place.workspace];
  const run = await quarterdeck(["run", "say hello", ...at]);
  assert.equal(run.code, 0, run.stderr);
  const elsewhere = mkdtempSync(join(tmpdir(), "qd-"));
  const server = await sharedPostgres();
  const url = await server.database();
  const made = await quarterdeck(["database", "prepare", "--home", elsewhere, "--database", url]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(HELD);
    await client.query("SELECT pg_advisory_lock(4711)");
    const args = [MAIN, "migrate", "--from", place.home, "--to", url];
    const child = spawn(process.execPath, args, { stdio: "ignore" });
    await until(async () => (await client.query(WAITING)).rowCount, "the migration to be half-way");
    const second = await quarterdeck(["migrate", "--from", place.home, "--to", url]);
    assert.match(second.stderr, /is in use \(migrate \d+ on /);
    child.kill("SIGKILL");
    await once(child, "exit");
    await client.query("SELECT pg_advisory_unlock(4711)");

    const refused = await quarterdeck(["status", "--home", elsewhere, "--database", url]);
    assert.equal(refused.code, 3);
    assert.match(refused.stderr, /^The journal in .* is incomplete: [^\n]*it starts over\.\n$/);
    await migrated(place.home, url);
    const status = await quarterdeck(["status", "--json", "--home", elsewhere, "--database", url]);
    assert.match(status.stdout, /"epoch":"e[0-9a-f]+"/);
  } finally {
    await client.end();
    await server.drop(url);
    rmSync(elsewhere, { recursive: true, force: true });
  }
});

test("[J10] what cannot be moved is said in a sentence", async () => {
  using place = newTestHome();
  const cases: [args: string[], code: number, why: RegExp][] = [
    [["--from", place.home], 2, /^How\? quarterdeck migrate --from/],
    [["--from", place.home, "--to", place.home], 2, /^How\?/],
    [["--from", place.home, "--to", `${place.home}-2`], 3, /^There is no journal in /],
    [["--from", "postgres://u:pw@127.0.0.1:1/x", "--to", place.home], 3, /^The database at 127/],
    [["--from", place.home, "--to", "x", "--to-blobs", "s3://b"], 2, /^A home keeps its blobs/],
  ];
  for (const [args, code, why] of cases) {
    const refused = await quarterdeck(["migrate", ...args]);
    assert.match(refused.stderr, why);
    assert.equal(refused.code, code, refused.stderr);
    assert.ok(!refused.stderr.includes("pw@"));
  }
});
