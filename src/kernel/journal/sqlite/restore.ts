// Copies of a journal and back. A backup goes through SQLite's own API, because copying the file
// loses what is in the WAL and, in a process that holds it, its locks (D8). A restored journal gets
// a new epoch, so that cursors of the lost future are refused instead of skipping events (D4).
import { constants, existsSync } from "node:fs";
import { copyFile, link, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NewerJournalError, newEpoch } from "./database.ts";
import { createPrivate, isDamage, isNewer } from "./journal-file.ts";
import { MIGRATIONS } from "../tables/migrations.ts";
import { markPath } from "./history.ts";
import { syncFolder } from "./sync-folder.ts";

/** Why the file cannot be restored, or undefined when it can. Looks without changing anything. */
export function backupProblem(path: string): string | undefined {
  if (!existsSync(path)) return `there is no file ${path}`;
  try {
    using db = new DatabaseSync(path, { readOnly: true });
    const ours = "SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('meta', 'logs', 'events')";
    if (db.prepare(ours).get()?.["n"] !== 3) return "it is not a Quarterdeck journal";
    const version = db.prepare("PRAGMA user_version").get()?.["user_version"] as number;
    if (version === 0) return "it is not a Quarterdeck journal";
    if (version > MIGRATIONS.length) return "it was written by a newer Quarterdeck";
    const check = db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    return check === "ok" ? undefined : `it is damaged: ${String(check)}`;
  } catch (error) {
    return `it cannot be read: ${(error as Error).message}`;
  }
}

/** Nobody may have the journal open. What was there before is kept beside it; returns its name. */
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
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // leaves one file, complete by itself
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
 * The journal keeps its own name until another takes it: a kill in between must not leave a home that begins anew.
 * What could not be moved into it, or was left without it, SQLite would take for the other file's.
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
  await rm(markPath(dirname(journal)), { force: true }); // the restored one is meant to be behind it
  await syncFolder(dirname(journal)); // it has its second name before its first goes to another
  return isThere ? kept : undefined;
}

function moveLogInto(journal: string): void {
  try {
    using old = new DatabaseSync(journal); // closing it last moves its WAL into the file
    old.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!isDamage(error)) throw error; // a damaged one is why there are backups: it is kept as it is
  }
}
