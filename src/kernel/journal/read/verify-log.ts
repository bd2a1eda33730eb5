// Verifies a log or a session: every byte, in order and complete, up to its head.
import { crc32 } from "node:zlib";
import { frameOf } from "../../events/frame.ts";
import { GENESIS, verify } from "../hash-chain.ts";
import { rowsOf } from "../rows.ts";
import type { Sql } from "../sql.ts";
import { SESSIONS } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";

export type LogHead = { log_key: number; log_id: string; seq: number; hash: string };

const PAGE = 1_000;

/** Verifies the hash chain of a log. */
export async function problemOf(sql: Sql, log: LogHead): Promise<string | undefined> {
  const events =
    "SELECT seq, checksum, chars, body FROM events WHERE log_key = ? AND seq > ? ORDER BY seq LIMIT ?";
  let previous = GENESIS;
  let checksum = 0;
  let chars = 0;
  let after = 0;
  for (;;) {
    const rows = await sql.rows(events, log.log_key, after, PAGE);
    // A damaged cell may have any type: nothing is expected of it but to be equal.
    for (const [seq, sum, length, body] of rows) {
      const next = after + 1;
      const problem = `the chain breaks at seq ${next}`;
      if (seq !== next || typeof body !== "string") return problem;
      const frame = frameOf(log.log_id, next, body);
      checksum = crc32(frame, checksum);
      chars += frame.length;
      const fits = checksum === sum && chars === length;
      const inPlace = fits && body.startsWith(`{"event_id":"${log.log_id}:${next}",`);
      const hash = inPlace ? verify(body, previous) : undefined;
      if (hash === undefined) return problem;
      previous = hash;
      after = next;
      if (next === log.seq) break; // events appended after the head was read are not checked
    }
    if (rows.length < PAGE || after === log.seq) break;
  }
  if (after !== log.seq) return `the log should end at seq ${log.seq}, not ${after}`;
  return after > 0 && previous !== log.hash ? "the head does not fit the last event" : undefined;
}

const SESSION = "SELECT session_id, seq FROM sessions WHERE session_key = ?";
const SESSION_HEAD = rowsOf("sessions", pick(SESSIONS, "session_id", "seq"));
const OF_SESSION = `SELECT session_seq, body FROM events
  WHERE session_key = ? AND session_seq > ? ORDER BY session_seq LIMIT ${PAGE}`;

/** Whether a session's events are complete across its logs, each at its own position. */
export async function sessionProblem(sql: Sql, sessionKey: number): Promise<string | undefined> {
  const session = await SESSION_HEAD.get(sql, SESSION, sessionKey);
  let after = 0;
  for (let more = session !== undefined; more;) {
    const rows = await sql.rows(OF_SESSION, sessionKey, after);
    more = rows.length === PAGE;
    for (const [seq, body] of rows) {
      after += 1;
      const place = `,"session_id":"${session?.session_id}","session_seq":${after},`;
      if (seq !== after || typeof body !== "string" || !body.includes(place))
        return `session_seq ${after} is not where it belongs`;
    }
  }
  const head = session?.seq ?? -1;
  return after < head ? `the session should end at session_seq ${head}, not ${after}` : undefined;
}
