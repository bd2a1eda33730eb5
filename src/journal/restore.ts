// Copies of a journal and back. A backup goes through SQLite's own API, because copying the file
// loses what is in the WAL and, in a process that holds it, its locks (D8). A restored journal gets
// a new epoch, so that cursors of the lost future are refused instead of skipping events (D4).
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { newEpoch } from "./database.ts";
import { createPrivate } from "./journal-file.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";

/** Why the file cannot be restored, or undefined when it can. Looks without changing anything. */
export function backupProblem(path: string): string | undefined {
  if (!existsSync(path)) return `there is no file ${path}`;
  try {
    using db = new DatabaseSync(path, { readOnly: true });
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
  const incoming = `${journal}.incoming`;
  {
    using source = new DatabaseSync(backup, { readOnly: true });
    const { backup: copy } = await import("node:sqlite");
    createPrivate(incoming);
    await copy(source, incoming);
  }
  {
    using db = new DatabaseSync(incoming);
    db.prepare("UPDATE meta SET value = ? WHERE key = 'epoch'").run(newEpoch());
    db.exec("UPDATE logs SET runner_id = NULL, lease_until = NULL; DELETE FROM processes");
    db.exec("PRAGMA journal_mode = DELETE"); // leaves one file, complete by itself
  }
  const kept = existsSync(journal) ? `${journal}.before-${Date.now()}` : undefined;
  if (kept) {
    {
      using old = new DatabaseSync(journal); // closing it last moves its WAL into the file
      old.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    await rename(journal, kept);
  }
  await rename(incoming, journal);
  return kept;
}
