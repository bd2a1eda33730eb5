// Looking after a journal: following every chain, quarantining what does not verify, and making
// projections anew. Nothing here repairs or deletes an event.
import type { Draft } from "../protocol/events.ts";
import type { Database } from "./database.ts";
import { crc32 } from "node:zlib";
import { frameOf } from "../protocol/frame.ts";
import { GENESIS, verify } from "./hash-chain.ts";
import type { Journal } from "./journal.ts";
import { forgetMessages } from "./message-index.ts";
import { project, PROJECTIONS_VERSION } from "./projections.ts";

export type Problem = { readonly logId: string; readonly problem: string };
export type LogHead = { log_key: number; log_id: string; seq: number; hash: string };
const PAGE = 1_000;

export function maintenance(db: Database): Pick<Journal, "backup" | "verify" | "rebuild"> {
  return {
    backup: (path) => db.backup(path),
    async verify() {
      const problems = verifyAll(db);
      await db.write(() => {
        for (const { logId, problem } of problems) quarantineLog(db, logId, problem);
      });
      return problems;
    },
    async rebuild() {
      await db.write(() => rebuildProjections(db));
    },
  };
}

function verifyAll(db: Database): Problem[] {
  const problems: Problem[] = [];
  for (const row of db.all("SELECT log_key, log_id, seq, hash FROM logs ORDER BY log_key")) {
    const log = row as LogHead;
    const problem = problemOf(db, log);
    if (problem) problems.push({ logId: log.log_id, problem });
  }
  return problems;
}

export function problemOf(db: Database, log: LogHead): string | undefined {
  const sql =
    "SELECT seq, checksum, body FROM events WHERE log_key = ? AND seq > ? ORDER BY seq LIMIT ?";
  let previous = GENESIS;
  let checksum = 0;
  let after = 0;
  for (;;) {
    const rows = db.rows(sql, log.log_key, after, PAGE) as unknown as [number, number, string][];
    for (const [seq, sum, body] of rows) {
      checksum = crc32(frameOf(log.log_id, seq, body), checksum);
      const inPlace = body.startsWith(`{"event_id":"${log.log_id}:${seq}",`) && checksum === sum;
      const hash = inPlace && seq === after + 1 ? verify(body, previous) : undefined;
      if (hash === undefined) return `the chain breaks at seq ${after + 1}`;
      previous = hash;
      after = seq;
    }
    if (rows.length < PAGE) break;
  }
  if (after !== log.seq) return `the log should end at seq ${log.seq}, not ${after}`;
  return after > 0 && previous !== log.hash ? "the head does not fit the last event" : undefined;
}

export function quarantineLog(db: Database, logId: string, problem: string): void {
  db.run(
    "UPDATE logs SET quarantined = ? WHERE log_id = ? AND quarantined IS NULL",
    problem,
    logId,
  );
}

/** A journal of an earlier build has lists that know less: they are made anew, once. */
export function bringUpToDate(db: Database): void {
  const version = () =>
    Number(db.get("SELECT value FROM meta WHERE key = 'projections'")?.["value"] ?? 0);
  if (version() === PROJECTIONS_VERSION) return;
  db.writeNow(() => {
    if (version() === PROJECTIONS_VERSION) return; // two processes may start at once
    rebuildProjections(db);
    const sql = "INSERT OR REPLACE INTO meta (key, value) VALUES ('projections', ?)";
    db.run(sql, String(PROJECTIONS_VERSION));
  });
}

/** Replays every event through the projections, in the order they were committed. */
function rebuildProjections(db: Database): void {
  forget(db);
  const sql = `SELECT event_key, log_key, session_key, seq, session_seq, body FROM events
    WHERE event_key > ? ORDER BY event_key LIMIT ${PAGE}`;
  for (let after = 0, more = true; more;) {
    const rows = db.all(sql, after);
    more = rows.length === PAGE;
    for (const row of rows) {
      after = row["event_key"] as number;
      const log = { log_key: row["log_key"] as number, session_key: row["session_key"] as number };
      const body = row["body"] as string;
      if (verify(body, undefined) === undefined) continue; // damaged: verify() quarantines its log
      const event = JSON.parse(body) as Draft & { created_at: number };
      const [seq, sessionSeq] = [row["seq"] as number, row["session_seq"] as number];
      project(db, log, event, { seq, sessionSeq, at: event.created_at });
    }
  }
}

/** Everything that follows from events, as it is before the first one. */
function forget(db: Database): void {
  for (const table of ["requests", "grants", "changes", "usage"]) db.run(`DELETE FROM ${table}`);
  forgetMessages(db);
  db.run(
    `UPDATE sessions SET title = '', title_source = 'prompt', goal_text = NULL, goal_status = NULL,
     project_id = NULL, yolo = 0, permissions = '[]', branched_from = NULL, deleted = 0, pinned = 0, title_key = ''`,
  );
  db.run(
    `UPDATE logs SET status = CASE kind WHEN 'run' THEN 'queued' ELSE status END, prompt = '',
     model = '', workspace = '', profile = '', message_id = '', position = NULL, direct = NULL,
     rewound_at = NULL, tokens = 0, input_tokens = 0, output_tokens = 0, cost_usd = 0, unpriced = 0,
     tool_calls = 0, attachments = 0, activity = NULL, activity_at = NULL, dismissed = 0,
     parent_run_id = NULL, depth = 0, created_at = 0, ended_at = NULL`,
  );
}
