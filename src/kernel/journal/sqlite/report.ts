// What is in a journal of SQLite, read without opening it as one: looking must not change it.
import { DatabaseSync } from "node:sqlite";
import { versionOf } from "./journal-file.ts";

/** A session's events are numbered without gaps, so nobody has to count them. */
export function sqliteReport(path: string): { version: number; sessions: number; events: number } {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 2_000 });
  const counted = db.prepare(
    "SELECT count(*) AS sessions, coalesce(sum(seq), 0) AS events FROM sessions",
  );
  const { sessions, events } = counted.get() as { sessions: number; events: number };
  return { version: versionOf(db), sessions, events };
}
