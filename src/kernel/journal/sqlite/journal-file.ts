// Prepares the file before it is opened as a journal: readable by its owner only, and untouched if a newer program wrote
// it.
import { closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { integer, rowsOf } from "../rows.ts";
import { MIGRATIONS } from "../tables/migrations.ts";

const LOCKED_MS = 2_000;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = new Set([11, 26]);

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

/**
 * Uses a read-only connection: any other would move the WAL into the file when it closes (D9). Only a
 * transaction that a killed process left behind in `-journal` needs a writable one, which rolls it back.
 */
export function isNewer(path: string): boolean {
  try {
    using db = new DatabaseSync(path, { readOnly: true, timeout: LOCKED_MS });
    return versionIn(db) > MIGRATIONS.length;
  } catch (error) {
    if (codeOf(error) !== SQLITE_READONLY) throw error;
    using db = new DatabaseSync(path, { timeout: LOCKED_MS });
    return versionIn(db) > MIGRATIONS.length;
  }
}

/** Tables without a version are not ours; a `-wal` of another database looks like that. */
function versionIn(db: DatabaseSync): number {
  const version = versionOf(db);
  const { tables } = db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() ?? {};
  if (version === 0 && tables !== 0) throw new ForeignTables();
  return version;
}

class ForeignTables extends Error {
  override message = "it holds the tables of another program; perhaps its -wal file does";
}

const VERSION = rowsOf("user_version", { user_version: integer });

export function versionOf(db: DatabaseSync): number {
  return VERSION.of(db.prepare("PRAGMA user_version").get() ?? {}).user_version;
}

export function isDamage(error: unknown): boolean {
  return error instanceof ForeignTables || SQLITE_CORRUPT.has(codeOf(error));
}

/** SQLite's primary result code; 0 of any other error. */
export function codeOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}
