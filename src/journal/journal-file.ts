// The file before it is a journal of ours: made for its owner's eyes only, and left as it is when a
// newer program wrote it.
import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "./migrations/migrations.ts";

/**
 * The -wal and -shm files take the mode of the file they belong to, so it must be right before
 * SQLite makes them. Never opens a file that exists: closing it again would drop SQLite's locks (D8).
 */
export function createPrivate(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process was first
  }
}

/** Looks through a read-only connection: any other would move the WAL into the file as it closes (D9). */
export function isNewer(path: string): boolean {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
  return versionOf(db) > MIGRATIONS.length;
}

export function versionOf(db: DatabaseSync): number {
  return db.prepare("PRAGMA user_version").get()?.["user_version"] as number;
}

const SQLITE_CORRUPT = new Set([11, 26]);

export function isDamage(error: unknown): boolean {
  return SQLITE_CORRUPT.has(((error as { errcode?: number }).errcode ?? 0) & 0xff);
}
