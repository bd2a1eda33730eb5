// A copy taken while everything runs, put back later: the lost future is refused, nothing is mixed
// up with it, and what was under way in the copy goes on.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onSqlite as test } from "../../support/backend.ts"; // Postgres has pg_dump for that.
import { followRun } from "../../support/follow.ts";
import { ANSWER, startHaltingModel } from "../../support/models/halting-model.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import { newTestHome, quarterdeck, startProgram, type TestHome } from "../../support/program.ts";
import { answerOf, eventsOf, runInfo } from "../../support/runs.ts";

const kept = ({ home }: TestHome) => readdirSync(home).filter((name) => name.includes(".before-"));

test("[D4, J10, K3] backup while a run streams, restore, and the restored run ends", async () => {
  await using model = await startHaltingModel(); // the run waits for the copy, however slow the machine is
  using place = newTestHome({ base_url: model.baseUrl, model: "real/agent" });
  const file = join(dirname(place.home), "copy.db");
  const at = ["--home", place.home];
  let before: { runId: string; later: string; epoch: string; last: string; whole: string[] };
  {
    await using program = await startProgram(place);
    const { run_id: runId } = await startRun(program, "count");
    await readEvents(program, `/api/runs/${runId}/events`, {
      until: ({ data }) => data.includes("w20"),
    });
    const copied = await quarterdeck(["backup", file, ...at]);
    assert.equal(copied.code, 0, copied.stderr);
    assert.equal(statSync(file).mode & 0o077, 0, "a journal is its owner's alone, also as a copy");
    model.release();
    const { frames, events } = await followRun(() => program, runId);
    assert.deepEqual(answerOf(events), [ANSWER], "the run did not notice");
    const { run_id: later } = await startRun(program, "quick, only in the lost future");
    await followRun(() => program, later);

    const again = await quarterdeck(["backup", file, ...at]);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /exists already; nothing was written\.\n$/);
    const refused = await quarterdeck(["restore", file, ...at]);
    assert.equal(refused.code, 3);
    assert.match(
      refused.stderr,
      /^The journal is in use \(pid \d+, \d+\)\. Stop Quarterdeck first\.\n$/,
    );
    assert.deepEqual(kept(place), []);
    const { epoch } = await program.status();
    const whole = frames.map(({ data }) => data);
    before = { runId, later, epoch, last: frames.at(-1)?.id as string, whole };
  }

  const restored = await quarterdeck(["restore", file, ...at]);
  assert.equal(restored.code, 0, restored.stderr);
  const [old = ""] = kept(place);
  using db = new DatabaseSync(join(place.home, old), { readOnly: true });
  const rows = db.prepare("SELECT count(*) AS n FROM logs WHERE log_id = ?").get(before.later);
  assert.equal(rows?.["n"], 1, "the old journal is kept, whole");
  assert.ok(existsSync(file), "and so is the copy");

  await using program = await startProgram(place);
  const { epoch } = await program.status();
  assert.notEqual(epoch, before.epoch);
  const path = `/api/runs/${before.runId}/events`;
  for (const cursor of [
    `?epoch=${before.epoch}&after_seq=1`,
    `?cursor=${before.epoch}/${before.runId}:1`,
  ]) {
    const stale = await call(program, "GET", `${path}${cursor}`);
    assert.equal(stale.status, 409, cursor);
    assert.equal(stale.body.error.details["epoch"], epoch);
    assert.ok(Number(stale.body.error.details["head"]) > 0);
  }
  const { events, frames } = await followRun(() => program, before.runId);
  assert.deepEqual(answerOf(events), [ANSWER]);
  assert.equal(eventsOf(events, "recovery").length, 1);
  const at_ = events.findIndex((event) => event.type === "recovery");
  assert.deepEqual(
    frames.slice(0, at_).map(({ data }) => data),
    before.whole.slice(0, at_),
    "what was before the copy is what it was",
  );
  const epochs = new Set(events.map((event) => (event as unknown as { epoch: string }).epoch));
  assert.deepEqual(
    [...epochs],
    [before.epoch, epoch],
    "events keep the epoch they were written in",
  );
  assert.equal((await call(program, "GET", `/api/runs/${before.later}`)).status, 404);
  assert.equal((await runInfo(program, before.runId)).status, "completed");
});

test("[J10] what is no journal is not restored, and nothing is touched", async () => {
  using place = newTestHome();
  const at = ["--home", place.home];
  const made = await quarterdeck(["run", "say hello", ...at, "--workspace", place.workspace]);
  assert.equal(made.code, 0, made.stderr);
  const file = join(dirname(place.home), "copy.db");
  const listing = () => readdirSync(place.home).toSorted();
  await quarterdeck(["backup", file, ...at]);
  const before = listing();

  const foreign = join(dirname(place.home), "foreign.db");
  {
    using db = new DatabaseSync(foreign);
    db.exec("CREATE TABLE a (b)");
  }
  const newer = join(dirname(place.home), "newer.db");
  assert.equal((await quarterdeck(["backup", newer, ...at])).code, 0);
  {
    using db = new DatabaseSync(newer);
    db.exec("PRAGMA user_version = 99");
  }
  const cases: [file: string, why: RegExp][] = [
    [join(place.home, "nothing.db"), /there is no file/],
    [foreign, /it is not a Quarterdeck journal/],
    [join(place.home, "config.json"), /it cannot be read|it is not/],
    [newer, /it was written by a newer Quarterdeck/],
  ];
  for (const [path, why] of cases) {
    const refused = await quarterdeck(["restore", path, ...at]);
    assert.equal(refused.code, 3, path);
    assert.match(refused.stderr, why);
    assert.match(refused.stderr, /^[^\n]+ Nothing was changed\.\n$/);
  }
  assert.deepEqual(listing(), before);
  for (const command of ["backup", "restore"]) {
    const bare = await quarterdeck([command, ...at]);
    assert.equal(bare.code, 2);
  }
});

test("[J10b, D4] a journal that can no longer be opened is what a backup is for", async () => {
  using place = newTestHome();
  const at = ["--home", place.home];
  const made = await quarterdeck(["run", "say hello", ...at, "--workspace", place.workspace]);
  assert.equal(made.code, 0, made.stderr);
  const file = join(dirname(place.home), "copy.db");
  assert.equal((await quarterdeck(["backup", file, ...at])).code, 0);
  const path = join(place.home, "journal.db");
  writeFileSync(path, readFileSync(path).fill(0xa5, 0, 4_096));
  const restored = await quarterdeck(["restore", file, ...at]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.equal(kept(place).length, 1);
  const sound = await quarterdeck(["doctor", "--port", "0", ...at]);
  assert.equal(sound.code, 0, sound.stdout);
});
