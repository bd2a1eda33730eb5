// Appends in SQLite, inside the caller's transaction.
import type { AnyDraft } from "../../events/system-events.ts";
import {
  refusalOf,
  SELECT_LOG,
  numberEvents,
  type Claimed,
  LogRow,
  type AppendContext,
} from "../append.ts";
import type { Database } from "./database.ts";
import type { AppendOptions, AppendResult, Wake } from "../journal.ts";
import { wakeOf } from "../wakes.ts";

const COLUMNS = 7;
const ROWS_AT_ONCE = 8;
const INSERT_ONE =
  "INSERT INTO events (log_key, seq, session_key, session_seq, checksum, chars, body) VALUES (?, ?, ?, ?, ?, ?, ?)";
const INSERT_MANY = `${INSERT_ONE}${", (?, ?, ?, ?, ?, ?, ?)".repeat(ROWS_AT_ONCE - 1)}`;
const ADVANCE_LOG =
  "UPDATE logs SET seq = ?, hash = ?, checksum = ?, chars = ?, last_at = ? WHERE log_key = ?";
const ADVANCE_SESSION = "UPDATE sessions SET seq = ?, updated_at = ? WHERE session_key = ?";
/** Lists sort by it. A separate statement, because the column has an index. */
const ADVANCE_HOUR = "UPDATE sessions SET updated_hour = ? WHERE session_key = ?";

export function findLog(db: Database, logId: string): LogRow | undefined {
  const row = db.get(SELECT_LOG, logId);
  return row && LogRow.of(row);
}

/** Appends under a claim. The fence is read in the same transaction, so a stale runner cannot write. */
export function appendClaimed(
  db: Database,
  claimed: Claimed,
  sealing: AppendContext,
  options: AppendOptions = {},
): { result: AppendResult; wake?: Wake } {
  const log = findLog(db, claimed.claim.runId);
  const reason = refusalOf(log, claimed, options);
  if (!log || reason) return { result: { ok: false, reason: reason ?? "fenced" } };
  const wake = appendTo(db, log, claimed.drafts, sealing);
  return { result: { ok: true, seq: wake.seq }, wake };
}

/** Appends without a claim, for commands, which their admission has allowed. */
export function appendTo(
  db: Database,
  log: LogRow,
  drafts: readonly AnyDraft[],
  sealing: AppendContext,
): Wake {
  const appended = numberEvents(log, drafts, sealing);
  const { events, head, lists } = appended;
  for (const [sql, ...params] of lists) db.run(sql, ...params);
  insertEvents(
    db,
    events.flatMap(({ seq, sessionSeq, checksum, chars, body }) => [
      log.log_key,
      seq,
      log.session_key,
      sessionSeq,
      checksum,
      chars,
      body,
    ]),
  );
  db.run(ADVANCE_LOG, head.seq, head.hash, head.checksum, head.chars, head.last_at, log.log_key);
  db.run(ADVANCE_SESSION, head.session_seq, head.last_at, log.session_key);
  if (head.updated_hour !== log.updated_hour) {
    db.run(ADVANCE_HOUR, head.updated_hour, log.session_key);
  }
  return wakeOf(appended);
}

/** Eight rows per statement cost a quarter less per event than one row; more rows save little. */
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
