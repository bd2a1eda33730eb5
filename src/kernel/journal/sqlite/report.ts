// Reports what is in a SQLite journal without opening it as one, so that looking does not change it.
import { DatabaseSync } from "node:sqlite";
import { versionOf } from "./journal-file.ts";

/** A session's events are numbered without gaps, so the highest number is their count. */
export function sqliteReport(path: string): { version: number; sessions: number; events: number } {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
  const counted = db.prepare(
    "SELECT count(*) AS sessions, coalesce(sum(seq), 0) AS events FROM sessions",
  );
  const { sessions, events } = counted.get() as { sessions: number; events: number };
  return { version: versionOf(db), sessions, events };
}
