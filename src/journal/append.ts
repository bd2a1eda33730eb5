// The hot path: drafts become numbered, chained, stored events and updated heads, inside the
// transaction of whoever calls. Nothing else assigns seq, event_id, created_at or hashes.
import { crc32 } from "node:zlib";
import { ApiError } from "../protocol/errors.ts";
import type { Draft } from "../protocol/events.ts";
import { frameOf } from "../protocol/frame.ts";
import type { Database } from "./database.ts";
import { GENESIS, MAX_EVENT_CHARS, sealer } from "./hash-chain.ts";
import type { AppendOptions, AppendResult, Claim, Wake } from "./journal.ts";
import { project } from "./projections.ts";
import { redactDraft } from "./redact-draft.ts";

export type LogRow = {
  log_key: number;
  log_id: string;
  session_key: number;
  session_id: string;
  seq: number;
  hash: string;
  checksum: number;
  chars: number;
  last_at: number;
  session_seq: number;
  updated_hour: number; // of the session
  fence: number;
  runner_id: string | null;
  ended_at: number | null;
  status: string;
  quarantined: string | null;
};

const SELECT_LOG = `
  SELECT l.log_key, l.log_id, l.session_key, s.session_id, l.seq, l.hash, l.checksum, l.chars, l.last_at,
         s.seq AS session_seq, s.updated_hour, l.fence, l.runner_id, l.ended_at, l.status, l.quarantined
  FROM logs l JOIN sessions s USING (session_key) WHERE l.log_id = ?`;
const COLUMNS = 7;
const ROWS_AT_ONCE = 8;
const INSERT_ONE =
  "INSERT INTO events (log_key, seq, session_key, session_seq, checksum, chars, body) VALUES (?, ?, ?, ?, ?, ?, ?)";
const INSERT_MANY = `${INSERT_ONE}${", (?, ?, ?, ?, ?, ?, ?)".repeat(ROWS_AT_ONCE - 1)}`;
const ADVANCE_LOG =
  "UPDATE logs SET seq = ?, hash = ?, checksum = ?, chars = ?, last_at = ? WHERE log_key = ?";
const ADVANCE_SESSION = "UPDATE sessions SET seq = ?, updated_at = ? WHERE session_key = ?";
/** By it lists find the newest. By itself, because it has an index. */
const ADVANCE_HOUR = "UPDATE sessions SET updated_hour = ? WHERE session_key = ?";
const HOUR = 3_600;

export function findLog(db: Database, logId: string): LogRow | undefined {
  return db.get(SELECT_LOG, logId) as LogRow | undefined;
}

/** Appends under a claim. The fence is read in the same transaction: a stale runner cannot write. */
export function appendClaimed(
  db: Database,
  claim: Claim,
  drafts: readonly Draft[],
  options: AppendOptions = {},
): { result: AppendResult; wake?: Wake } {
  const log = findLog(db, claim.runId);
  if (!log || log.fence !== claim.fence) return { result: { ok: false, reason: "fenced" } };
  if (log.ended_at !== null) return { result: { ok: false, reason: "finished" } };
  if (options.expectSeq !== undefined && options.expectSeq !== log.seq) {
    return { result: { ok: false, reason: "behind" } };
  }
  const wake = appendTo(db, log, drafts);
  return { result: { ok: true, seq: wake.seq }, wake };
}

/** Appends without a claim: for commands, whose right to write is decided by their admission. */
export function appendTo(db: Database, log: LogRow, drafts: readonly Draft[]): Wake {
  const at = Math.max(log.last_at, Date.now() / 1000); // a clock that jumps back reorders nothing
  const text = String(at);
  const seal = sealer({ logId: log.log_id, sessionId: log.session_id, epoch: db.epoch });
  let { seq, session_seq: sessionSeq, checksum, chars } = log;
  let prevHash = log.hash || GENESIS;
  const rows: (number | string)[] = [];
  for (const written of drafts) {
    const draft = db.redact ? redactDraft(written, db.redact) : written;
    seq += 1;
    sessionSeq += 1;
    const { body, hash } = seal(draft, { seq, sessionSeq, at: text, prevHash });
    if (body.length > MAX_EVENT_CHARS) {
      throw new ApiError("too_large", `${draft.type} is too large to store.`);
    }
    prevHash = hash;
    const frame = frameOf(log.log_id, seq, body);
    checksum = crc32(frame, checksum);
    chars += frame.length;
    rows.push(log.log_key, seq, log.session_key, sessionSeq, checksum, chars, body);
    project(db, log, draft, { seq, sessionSeq, at });
  }
  insertEvents(db, rows);
  db.run(ADVANCE_LOG, seq, prevHash, checksum, chars, at, log.log_key);
  db.run(ADVANCE_SESSION, sessionSeq, at, log.session_key);
  const hour = Math.floor(at / HOUR);
  if (hour !== log.updated_hour) db.run(ADVANCE_HOUR, hour, log.session_key);
  return { logId: log.log_id, seq, sessionId: log.session_id, sessionSeq };
}

/** Eight rows a statement: a quarter cheaper per event than one, and more help little. */
function insertEvents(db: Database, rows: readonly (number | string)[]): void {
  const many = COLUMNS * ROWS_AT_ONCE;
  let from = 0;
  for (; rows.length - from >= many; from += many) {
    db.statement(INSERT_MANY).run(...rows.slice(from, from + many));
  }
  for (; from < rows.length; from += COLUMNS) {
    db.statement(INSERT_ONE).run(...rows.slice(from, from + COLUMNS));
  }
}
