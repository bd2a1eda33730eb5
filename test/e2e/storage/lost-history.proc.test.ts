// What was acknowledged does not vanish without a word: a journal that is behind its high-water mark is said, noted in the
// audit, and goes on in a new epoch. A kill at any moment is nothing of the kind.
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readMark } from "../../../src/kernel/journal/sqlite/high-water-mark.ts";
import { openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { onSqlite as test } from "../../support/backend.ts"; // A Postgres keeps its own log.
import { followRun } from "../../support/follow.ts";
import { startRun } from "../../support/http.ts";
import { newTestHome, quarterdeck, startProgram, type TestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

/** A home that was killed with events in its WAL, and a copy of the journal from before the last run. */
async function killedHome(place: TestHome) {
  const { home } = place;
  const backup = join(dirname(home), "backup.db");
  const before = ["run", "say before", "--home", home, "--workspace", place.workspace];
  assert.equal((await quarterdeck(before)).code, 0); // closes the journal: its WAL is in the file
  assert.equal((await quarterdeck(["backup", backup, "--home", home])).code, 0);
  await using program = await startProgram(place);
  const last = await startRun(program, "say after");
  await followRun(() => program, last.run_id);
  const { epoch } = await program.status();
  const events = newestEvent(home);
  await until(() => readMark(join(home, "journal.mark"))?.events === events, "the mark");
  await program.kill("all");
  mkdirSync(join(home, "blobs", "ab"), { recursive: true });
  return { epoch, backup };
}

function newestEvent(home: string): number {
  using db = new DatabaseSync(join(home, "journal.db"), { readOnly: true });
  return db.prepare("SELECT max(event_key) AS n FROM events").get()?.["n"] as number;
}

type Files = {
  readonly db: string;
  readonly wal: string;
  readonly mark: string;
  readonly backup: string;
};
const LOSSES: Record<string, (files: Files) => void> = {
  "the -wal deleted": ({ wal }) => rmSync(wal),
  "the -wal cut to 31 bytes": ({ wal }) => truncateSync(wal, 31),
  "journal.db of 0 bytes": ({ db, wal }) => {
    rmSync(wal);
    truncateSync(db, 0);
  },
  "no journal.db": ({ db, wal }) => [db, wal].forEach((file) => rmSync(file)),
  "neither journal.db nor mark, beside blobs": ({ db, wal, mark }) =>
    [db, wal, mark].forEach((file) => rmSync(file)),
  "an older journal.db put back by hand": ({ db, wal, backup }) => {
    rmSync(wal);
    cpSync(backup, db);
  },
};

test("[J14b, J14c, K3] lost history is said once, noted in the audit, and begins a new epoch; a kill or a restore loses nothing", async (t) => {
  using place = newTestHome();
  const { epoch, backup } = await killedHome(place);
  for (const [what, lose] of Object.entries(LOSSES)) {
    await t.test(what, async () => {
      const home = copyOf(place.home);
      const files = ["journal.db", "journal.db-wal", "journal.mark"].map((name) =>
        join(home, name),
      );
      lose({ db: files[0] ?? "", wal: files[1] ?? "", mark: files[2] ?? "", backup });
      rmSync(join(home, "journal.db-shm"), { force: true });

      const status = await quarterdeck(["status", "--json", "--home", home]);
      assert.match(
        status.stderr,
        /^History was lost: [^\n]+ new epoch; [^\n]+ brings a backup back\.\n$/,
      );
      const now = (JSON.parse(status.stdout) as { epoch: string }).epoch;
      assert.notEqual(now, epoch);
      await using journal = await openSqlite({
        features: FEATURES,
        home,
        onLoss: () => assert.fail("said twice"),
      });
      assert.equal(journal.epoch, now, "and only one");
      const [noted] = await journal.systemLog.events({ types: ["history.lost"], limit: 5 });
      assert.match(noted ?? "", /"by":"house",.*"reason":"(behind|missing)"/);
    });
  }

  const behind = copyOf(place.home);
  rmSync(join(behind, "journal.db-wal"));
  const found = await quarterdeck(["doctor", "--port", "0", "--home", behind]);
  assert.match(
    found.stdout,
    /note {5}history: \S+Z: History was lost: the journal holds \d+ of the \d+/,
  );

  const quiet = async (home: string) => {
    const status = await quarterdeck(["status", "--json", "--home", home]);
    assert.equal(status.stderr, "");
    return (JSON.parse(status.stdout) as { epoch: string }).epoch;
  };

  // A kill, a restore and a mark that is gone are no loss.
  const unmarked = copyOf(place.home);
  rmSync(join(unmarked, "journal.mark"));
  assert.equal(await quiet(unmarked), epoch);
  const torn = copyOf(place.home);
  writeFileSync(join(torn, "journal.mark"), "{");
  assert.equal(await quiet(torn), epoch);
  assert.equal(await quiet(place.home), epoch, "as it was killed");
  const restored = await quarterdeck(["restore", backup, "--home", place.home]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.notEqual(await quiet(place.home), epoch, "which is a new epoch, and no alarm");
  assert.ok(existsSync(join(place.home, "journal.mark")));
});

let copies = 0;
function copyOf(home: string): string {
  copies += 1;
  const copy = `${home}-${copies}`;
  mkdirSync(copy, { mode: 0o700 });
  for (const name of readdirSync(home)) {
    if (name !== "bus") cpSync(join(home, name), join(copy, name), { recursive: true });
  }
  return copy;
}
