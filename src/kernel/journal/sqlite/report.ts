// Reports what is in a SQLite journal without opening it as one, so that looking does not change it.
import { DatabaseSync } from "node:sqlite";
import { integer, rowsOf } from "../rows.ts";
import { versionOf } from "./journal-file.ts";

const COUNTED = rowsOf("sessions", { sessions: integer, events: integer });

/** A session's events are numbered without gaps, so the highest number is their count. */
export function sqliteReport(path: string): { version: number; sessions: number; events: number } {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
  const counted = db.prepare(
    "SELECT count(*) AS sessions, coalesce(sum(seq), 0) AS events FROM sessions",
  );
  return { version: versionOf(db), ...COUNTED.of(counted.get() ?? {}) };
}
