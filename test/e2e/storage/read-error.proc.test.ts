// A disk that fails to give back one page, once. SQLite says "malformed" then, and nothing is damaged.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import { journalPath, openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { ON_POSTGRES, onSqlite } from "../../support/backend.ts";
import { done, said, started } from "../../support/drafts.ts";
import { needing, STRACE } from "../../support/needing.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { canTrace, failAt, recordCalls } from "../../support/traced-calls.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

const TRIALS = 8;

const test = ON_POSTGRES ? onSqlite : needing(canTrace, STRACE);
test("[J8c] a page that could not be read once quarantines nothing", async () => {
  using place = newTestHome();
  const { home } = place;
  const runId = await longRun(home);
  const file = join(dirname(home), "out.jsonl");
  const command = { args: ["export", runId, "--format", "json", "-o", file, "--home", home] };
  const trace = join(dirname(home), "trace");
  const calls = await recordCalls(command, { home, trace, names: ["pread64"] });
  const reads = calls.filter(({ text }) => text.includes("journal.db>"));
  const step = Math.floor(reads.length / TRIALS);
  assert.ok(step > 0, `only ${reads.length} reads`);

  let failed = 0;
  for (const { name, nth } of reads.filter((_, index) => index % step === step - 1)) {
    rmSync(file, { force: true });
    const ended = await failAt(command, { name, nth, error: "EIO" });
    if (ended.code !== 0) failed += 1;
    using db = new DatabaseSync(journalPath(home), { readOnly: true });
    const marked = db.prepare("SELECT log_id, quarantined FROM logs WHERE quarantined IS NOT NULL");
    assert.deepEqual(marked.all(), [], ended.output);
  }
  assert.ok(failed < TRIALS, "most of them only cost a second look");
});

onSqlite(
  "[G3, J8] a quarantine is lifted by doctor --repair once the log verifies, and noted",
  async () => {
    using place = newTestHome();
    const { home } = place;
    const runId = await longRun(home);
    const flip = (from: string, to: string) => {
      using db = new DatabaseSync(journalPath(home));
      db.prepare("UPDATE events SET body = replace(body, ?, ?) WHERE seq = 3").run(from, to);
    };
    const doctor = (...flags: string[]) =>
      quarterdeck(["doctor", "--port", "0", "--home", home, ...flags]);
    flip("run.started", "run.stirred");
    assert.match((await doctor()).stdout, /PROBLEM {2}journal: run_\w+: the chain breaks at seq 3/);
    const kept = await doctor("--repair");
    assert.doesNotMatch(kept.stdout, /no longer quarantined/, "what is damaged stays quarantined");

    flip("run.stirred", "run.started");
    const before = await doctor();
    assert.equal(before.code, 1);
    assert.match(before.stdout, /quarantined, but every byte verifies.*--repair/);
    const lifted = await doctor("--repair");
    assert.equal(lifted.code, 0, lifted.stdout);

    await using journal = await openSqlite({ features: FEATURES, home });
    assert.ok((await s.runEvents(journal, runId)).length > 100);
    const [noted] = await journal.systemLog.events({ types: ["quarantine.lifted"], limit: 1 });
    assert.match(
      noted ?? "",
      new RegExp(`"by":"shell","log_id":"${runId}","problem":"the chain breaks`),
    );
  },
);

async function longRun(home: string): Promise<string> {
  await using journal = await openSqlite({ features: FEATURES, home });
  const runId = await s.start(journal);
  const claim = await s.claimed(journal);
  await s.write(journal, claim, started());
  const text = "All work and no play. ".repeat(100);
  for (let at = 0; at < 120; at += 1) await s.write(journal, claim, said(`m${at}`, text));
  await s.write(journal, claim, done(1));
  return runId;
}
