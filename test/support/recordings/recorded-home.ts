// All recordings as one journal of events that real programs wrote.
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { journalPath, openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { frameOf } from "../../../src/kernel/events/frame.ts";
import { readRecordings, type AnyEvent } from "./session-recordings.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

type Log = { key: number; checksum: number; chars: number; last: AnyEvent };

/** Lists are built when it is opened. Returns the number of events. */
export async function fillFromRecordings(home: string): Promise<number> {
  const empty = await openSqlite({ features: FEATURES, home });
  await empty[Symbol.asyncDispose]();
  using db = new DatabaseSync(journalPath(home));
  db.exec("PRAGMA foreign_keys = OFF; BEGIN; DELETE FROM meta WHERE key = 'projections'");
  const logs = new Map<string, Log>();
  const sessions = new Set<string>();
  let count = 0;
  for (const { lines, events } of readRecordings()) {
    const sessionId = events[0]?.session_id as string;
    if (sessions.has(sessionId)) continue; // a variation of another recording
    sessions.add(sessionId);
    for (const [index, event] of events.entries()) {
      addEvent(db, logs, { event, body: lines[index] as string, session: sessions.size });
    }
    const last = events.at(-1) as AnyEvent;
    const row = [
      sessions.size,
      sessionId,
      last.session_seq,
      events[0]?.created_at,
      last.created_at,
    ];
    db.prepare(
      "INSERT INTO sessions (session_key, session_id, seq, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
    ).run(...(row as number[]));
    count += lines.length;
  }
  const head =
    "UPDATE logs SET seq = ?, hash = ?, checksum = ?, chars = ?, last_at = ? WHERE log_key = ?";
  for (const { key, checksum, chars, last } of logs.values()) {
    db.prepare(head).run(last.seq, last.hash, checksum, chars, last.created_at, key);
  }
  db.exec("UPDATE sessions SET updated_hour = CAST(updated_at / 3600 AS INTEGER); COMMIT");
  return count;
}

type Added = { event: AnyEvent; body: string; session: number };

function addEvent(db: DatabaseSync, logs: Map<string, Log>, { event, body, session }: Added): void {
  const { run_id, session_id, seq, session_seq } = event;
  let log = logs.get(run_id);
  if (!log) {
    logs.set(run_id, (log = { key: logs.size + 1, checksum: 0, chars: 0, last: event }));
    const kind = run_id === session_id ? "session" : "run";
    const insert = "INSERT INTO logs (log_key, log_id, kind, session_key) VALUES (?, ?, ?, ?)";
    db.prepare(insert).run(log.key, run_id, kind, session);
  }
  const frame = frameOf(run_id, seq, body);
  log.checksum = crc32(frame, log.checksum);
  log.chars += frame.length;
  log.last = event;
  db.prepare(
    `INSERT INTO events (log_key, seq, session_key, session_seq, checksum, chars, body)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(log.key, seq, session, session_seq, log.checksum, log.chars, body);
}
