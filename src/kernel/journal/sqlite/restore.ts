// Backs a journal up and restores it. A backup goes through SQLite's API, because copying the file loses what is in the
// WAL and, in a process that holds it, its locks (D8). A restored journal gets a new epoch, so that cursors of the lost
// events are refused instead of skipping events (D4).
import { constants, existsSync } from "node:fs";
import { copyFile, link, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NewerJournalError, newEpoch } from "./database.ts";
import { createPrivate, isDamage, isNewer, versionOf } from "./journal-file.ts";
import { MIGRATIONS } from "../tables/migrations.ts";
import { markPath } from "./history.ts";
import { syncFolder } from "./sync-folder.ts";

/** Why the file cannot be restored; undefined if it can. Changes nothing. */
export function backupProblem(path: string): string | undefined {
  if (!existsSync(path)) return `there is no file ${path}`;
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    const ours = "SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('meta', 'logs', 'events')";
    if (db.prepare(ours).get()?.["n"] !== 3) return "it is not a Quarterdeck journal";
    const version = versionOf(db);
    if (version === 0) return "it is not a Quarterdeck journal";
    if (version > MIGRATIONS.length) return "it was written by a newer Quarterdeck";
    const check = db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    return check === "ok" ? undefined : `it is damaged: ${String(check)}`;
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`;
  }
}

/** No process may have the journal open. Keeps the previous journal beside it and returns its name. */
export async function restoreBackup(backup: string, journal: string): Promise<string | undefined> {
  if (existsSync(journal) && isSoundAndNewer(journal)) throw new NewerJournalError(journal);
  const incoming = `${journal}.incoming`;
  for (const ending of ["", "-journal", "-wal", "-shm"])
    await rm(incoming + ending, { force: true });
  {
    using source = new DatabaseSync(backup, { readOnly: true });
    const { backup: copy } = await import("node:sqlite");
    createPrivate(incoming);
    await copy(source, incoming);
  }
  {
    using db = new DatabaseSync(incoming);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); // as it will be used
    db.prepare("UPDATE meta SET value = ? WHERE key = 'epoch'").run(newEpoch());
    db.exec("UPDATE logs SET runner_id = NULL, lease_until = NULL; DELETE FROM processes");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // leaves one complete file
  }
  const kept = await keepBeside(journal);
  await rename(incoming, journal);
  await syncFolder(dirname(journal));
  return kept;
}

function isSoundAndNewer(journal: string): boolean {
  try {
    return isNewer(journal);
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}

/**
 * The journal keeps its name until the other one takes it: a kill in between must not leave a home without a journal.
 * SQLite would use a leftover -wal, -journal or -shm of the old file for the new one, so these are moved or removed.
 */
async function keepBeside(journal: string): Promise<string | undefined> {
  const kept = `${journal}.before-${Date.now()}`;
  const isThere = existsSync(journal);
  if (isThere) {
    moveLogInto(journal);
    await link(journal, kept).catch(() => copyFile(journal, kept, constants.COPYFILE_EXCL));
  }
  for (const ending of ["-wal", "-journal"]) {
    if (existsSync(journal + ending)) await rename(journal + ending, kept + ending);
  }
  await rm(`${journal}-shm`, { force: true });
  await rm(markPath(dirname(journal)), { force: true }); // a restored journal is behind its mark on purpose
  await syncFolder(dirname(journal)); // its second name must be durable before its first name is reused
  return isThere ? kept : undefined;
}

function moveLogInto(journal: string): void {
  try {
    using old = new DatabaseSync(journal); // closing it last moves its WAL into the file
    old.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!isDamage(error)) throw error; // a damaged journal is kept as it is
  }
}
