import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { said, started, token } from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { checkCursor, parseCursor } from "../../events/cursor.ts";
import * as s from "../contract/store.contract.ts";
import { backupProblem, restoreBackup } from "./restore.ts";
import { openSqlite } from "./sqlite.ts";
import { FEATURES } from "../../../features/journal-features.ts";

test("[J10a] a backup taken while others write holds all that was acknowledged before it", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  for (let index = 0; index < 300; index++) await s.write(journal, claim, token("m1", `${index}`));
  const acknowledged = (await journal.reads.run(runId))?.seq ?? 0;
  const target = join(store.home, "copy.db");

  let copying = true;
  const backups = (async () => {
    for (let index = 0; index < 8; index++) await journal.upkeep.backup(target);
  })().finally(() => (copying = false));
  let written = 0;
  while (copying) {
    await s.write(journal, claim, said("m", "x"));
    await journal.commands.queueMessage(runId, { message: "steered", mode: "steer" });
    written += 1;
  }
  await backups;

  assert.ok(written > 0, "somebody wrote meanwhile");
  assert.equal(backupProblem(target), undefined);
  const original = await s.runEvents(journal, runId);
  await store.closeAll();
  await restoreBackup(target, store.path);
  const restored = await store.connect();
  const events = await s.runEvents(restored, runId);
  assert.ok(events.length >= acknowledged);
  assert.deepEqual(events, original.slice(0, events.length));
  await s.checkSession(restored, "s1");
  assert.deepEqual(await restored.upkeep.verify(), []);
});

test("[J10b, K3, D4] a restore changes the epoch, keeps what was there and frees the claims", async () => {
  await using store = sqliteStore();
  const { journal, runId, claim } = await s.withRun(store);
  await s.write(journal, claim, started());
  const target = join(store.home, "copy.db");
  await journal.upkeep.backup(target);
  await s.write(journal, claim, token("m1", "the lost future"));
  const { epoch } = journal;
  await store.closeAll();

  const kept = await restoreBackup(target, store.path);

  const restored = await store.connect();
  assert.notEqual(restored.epoch, epoch);
  const [head] = [{ logId: runId, epoch: restored.epoch, seq: 3 }];
  assert.equal((await restored.reads.run(runId))?.seq, 3);
  for (const cursor of [`${epoch}/${runId}:3`, `${runId}:4`]) {
    assert.throws(() => checkCursor(parseCursor(cursor, head), head), { code: "cursor_invalid" });
  }
  assert.ok((await s.runEvents(restored, runId)).every((event) => event.epoch === epoch));
  const again = await s.claimed(restored, { runnerId: "runner_b" });
  await s.write(restored, again, token("m1", "another future"));
  const last = (await s.runEvents(restored, runId)).at(-1);
  assert.deepEqual([last?.seq, last?.epoch], [4, restored.epoch]);
  await s.checkSession(restored, "s1");

  assert.ok(kept);
  using old = new DatabaseSync(kept, { readOnly: true });
  const rows = old.prepare("SELECT body FROM events ORDER BY event_key DESC LIMIT 1").get();
  assert.match(rows?.["body"] as string, /the lost future/);
  const litter = readdirSync(store.home).filter((file) => file.includes("incoming"));
  assert.deepEqual(litter, []);
});

test("[K3] the epoch stays when nothing was restored", async () => {
  await using store = sqliteStore();
  const { epoch } = await store.connect();
  await store.closeAll();
  assert.equal((await store.connect()).epoch, epoch);
});

test("[J10] a restore into an empty home is a journal too", async () => {
  await using store = sqliteStore();
  await using empty = sqliteStore();
  const { journal, runId } = await s.withRun(store);
  const target = join(store.home, "copy.db");
  await journal.upkeep.backup(target);
  assert.equal(await restoreBackup(target, empty.path), undefined);
  await using restored = await openSqlite({ features: FEATURES, home: empty.home });
  assert.equal((await restored.reads.run(runId))?.seq, 2);
});

const KILLED_AT = `
  import files from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  const [module, backup, journal, at] = process.argv.slice(1);
  let steps = 0;
  for (const name of ["rename", "link", "copyFile", "rm"]) {
    const real = files[name];
    files[name] = (...args) => {
      if (steps++ === Number(at)) process.kill(process.pid, "SIGKILL");
      return real(...args);
    };
  }
  syncBuiltinESMExports();
  const { restoreBackup } = await import(module);
  await restoreBackup(backup, journal);
`;

/** A backup, and a closed journal with later events. */
async function backedUp(store: ReturnType<typeof sqliteStore>) {
  const { journal, runId, claim } = await s.withRun(store);
  const backup = join(store.home, "copy.db");
  await journal.upkeep.backup(backup);
  await s.write(journal, claim, started());
  await store.closeAll();
  return { runId, backup };
}

test("[J10c, D1] a restore that is killed anywhere leaves the old journal or the restored one, and can be done again", async () => {
  const module = new URL("restore.ts", import.meta.url).href;
  for (let at = 0, killed = true; killed; at += 1) {
    await using store = sqliteStore();
    const { runId, backup } = await backedUp(store);
    const argv = ["--input-type=module", "-e", KILLED_AT, module, backup, store.path, `${at}`];
    const child = spawnSync(process.execPath, argv);
    killed = child.signal === "SIGKILL";
    assert.ok(killed || child.status === 0, String(child.stderr));
    assert.ok(at > 1 || killed, "it has steps to be killed at");
    const left = await store.connect();
    assert.ok(((await left.reads.run(runId))?.seq ?? 0) >= 2, `killed at step ${at}`);
    await store.closeAll();
    await restoreBackup(backup, store.path);
    const restored = await store.connect();
    assert.equal((await restored.reads.run(runId))?.seq, 2);
    assert.deepEqual(await restored.upkeep.verify(), []);
  }
});

test("[J10] a journal that is damaged is replaced and kept as it is; what is beside it is no part of the other", async () => {
  for (const pages of [1, 40]) {
    await using store = sqliteStore();
    const { runId, backup } = await backedUp(store);
    const damaged = readFileSync(store.path).fill(0xa5, 0, pages * 4_096);
    writeFileSync(store.path, damaged);
    writeFileSync(`${store.path}-wal`, "what was not moved");

    const kept = (await restoreBackup(backup, store.path)) ?? "";

    assert.deepEqual(readFileSync(kept), damaged);
    assert.ok(!existsSync(`${store.path}-wal`));
    const restored = await store.connect();
    assert.equal((await restored.reads.run(runId))?.seq, 2);
    assert.deepEqual(await restored.upkeep.verify(), []);
  }
});

test("[J10] what is no backup of ours is refused with a reason", async () => {
  await using store = sqliteStore();
  const file = (name: string) => join(store.home, name);
  const { journal } = await s.withRun(store);
  assert.match(backupProblem(file("none.db")) ?? "", /there is no file/);
  writeFileSync(file("text.db"), "This is not a database, whatever its name says. ".repeat(40));
  assert.match(backupProblem(file("text.db")) ?? "", /cannot be read/);
  {
    using other = new DatabaseSync(file("other.db"));
    other.exec("CREATE TABLE things (a); PRAGMA user_version = 3");
  }
  assert.match(backupProblem(file("other.db")) ?? "", /not a Quarterdeck journal/);
  await journal.upkeep.backup(file("newer.db"));
  {
    using newer = new DatabaseSync(file("newer.db"));
    newer.exec("PRAGMA user_version = 999");
  }
  assert.match(backupProblem(file("newer.db")) ?? "", /newer/);
  rmSync(file("newer.db"));
});
