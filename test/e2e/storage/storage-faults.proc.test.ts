// Faults of the disk and the file system while a journal is opened are one sentence that says what to do, and no stack.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as s from "../../../src/kernel/journal/contract/store.contract.ts";
import { openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { ON_POSTGRES, onSqlite } from "../../support/backend.ts";
import { readEvents, startRun } from "../../support/http.ts";
import { needing, STRACE } from "../../support/needing.ts";
import {
  MAIN,
  newTestHome,
  quarterdeck,
  startProgram,
  type TestHome,
} from "../../support/program.ts";
import { canTrace, failAt, recordCalls, stopTraced } from "../../support/traced-calls.ts";
import { until } from "../../support/until.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

const SENTENCE = /^[^\n]+\.\n$/;

onSqlite(
  "[J10] a folder in the journal's place, or a -wal of another database, is refused in a sentence",
  async () => {
    using place = newTestHome();
    const { home } = place;
    const path = join(home, "journal.db");
    mkdirSync(path);
    const folder = await quarterdeck(["status", "--home", home]);
    assert.deepEqual([folder.code, folder.stdout], [3, ""]);
    assert.match(
      folder.stderr,
      /journal\.db cannot be used, it is a folder, not a file: move it away\./,
    );
    assert.match(folder.stderr, SENTENCE);

    using other = newTestHome();
    assert.equal((await quarterdeck(["token", "--home", other.home])).code, 0);
    const journal = join(other.home, "journal.db");
    const foreign = join(dirname(other.home), "foreign.db");
    {
      using db = new DatabaseSync(foreign);
      db.exec(
        "PRAGMA journal_mode = WAL; CREATE TABLE recipes (title); INSERT INTO recipes VALUES ('soup')",
      );
      copyFileSync(`${foreign}-wal`, `${journal}-wal`);
    }
    const before = readFileSync(journal);
    const refused = await quarterdeck(["status", "--home", other.home]);
    assert.equal(refused.code, 3, refused.stderr);
    assert.match(refused.stderr, /is damaged \([^\n]*-wal[^\n]*\) and was left as it is/);
    assert.match(refused.stderr, SENTENCE);
    assert.deepEqual(readFileSync(journal), before);
  },
);

const traced = ON_POSTGRES ? onSqlite : needing(canTrace, STRACE);
traced("[G10] a fault while the journal is opened names the file and what to do", async () => {
  using place = newTestHome();
  const { home } = place;
  const command = { args: ["token", "--home", home] };
  assert.equal((await quarterdeck(command.args)).code, 0);
  const trace = join(dirname(home), "trace");
  const calls = await recordCalls(command, { home, trace, names: ["openat"] });
  const first = calls.find(({ text }) => text.includes('journal.db"'));
  assert.ok(first);
  for (const error of ["EACCES", "EMFILE", "EROFS", "ENOSPC", "EIO", "ENOMEM"]) {
    const { code, output } = await failAt(command, { ...first, error, always: true });
    assert.equal(code, 3, `${error}: ${output}`);
    assert.match(
      output,
      /^\S+journal\.db cannot be used, [^\n]+\. Or choose another --home\.\n$/,
      error,
    );
  }
});

traced("[R8] a sync that fails for want of room pauses the run, and it goes on", async () => {
  using place = newTestHome();
  const runId = await startAndKill(place);
  // The sync of a commit, and the one that asks whether there is room.
  const inject = "inject=fsync,fdatasync:error=ENOSPC:when=60..61";
  const work = [MAIN, "work", "--home", place.home, "--workspace", place.workspace];
  const trace = ["-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", inject];
  const child = spawn("strace", [...trace, process.execPath, ...work], { stdio: "ignore" });
  await using journal = await openSqlite({ features: FEATURES, home: place.home });
  await until(async () => {
    assert.equal(child.exitCode, null, "the runner ended");
    return (await journal.reads.run(runId))?.status === "completed";
  }, "the run to end");
  stopTraced(child.pid as number);
  await once(child, "exit");
  assert.ok(
    (await s.payloadsOf(journal, runId, "status")).some(({ reason }) => reason === "disk_full"),
  );
});

async function startAndKill(place: TestHome): Promise<string> {
  await using program = await startProgram(place);
  const { run_id } = await startRun(program, "pace 3\ncount 400");
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"token.delta"'),
  });
  await program.kill("all");
  return run_id;
}
