// The inbox: what needs a person, across all sessions, newest first and bounded. A run that ended badly stays until it
// is dismissed, undone, or followed by another run of its session that was not undone.
import type { Trouble } from "../../api/records/records.ts";
import { verify } from "../hash-chain.ts";
import type { Reads } from "../journal.ts";
import type { Sql } from "../sql.ts";
import { nullable, oneOf, real, rowsOf, text, type RowOf } from "../rows.ts";
import { REQUEST } from "./record-rows.ts";

const MAX = 200; // of each
const ASKED = `
  r.request_id, l.log_id AS run_id, s.session_id, r.kind, r.call_id, r.title, r.prompt,
         r.choices, r.plan_hash, r.always, r.expires_at, r.created_at, s.title AS session_title,
         l.prompt AS run_prompt, l.workspace`;
const FROM = `
  FROM requests r JOIN logs l USING (log_key) JOIN sessions s ON s.session_key = r.session_key`;
/** Of the session, by its own log. */
const SOUND = `s.deleted = 0 AND l.quarantined IS NULL AND NOT EXISTS (
    SELECT 1 FROM logs q WHERE q.log_id = s.session_id AND q.quarantined IS NOT NULL)`;
const PENDING = `SELECT ${ASKED} ${FROM} WHERE r.answer IS NULL AND ${SOUND}
  ORDER BY r.created_at DESC, r.request_id LIMIT ${MAX + 1}`;
const ONE = `SELECT ${ASKED}, r.answer ${FROM} WHERE r.request_id = ?`;
const TROUBLES = `
  SELECT l.log_id AS run_id, s.session_id, s.title, l.prompt, l.status, l.ended_at, e.body
  FROM logs t INDEXED BY logs_trouble JOIN logs l ON l.log_key = t.log_key
    JOIN sessions s ON s.session_key = l.session_key
    JOIN events e ON e.log_key = l.log_key AND e.seq = l.seq
  WHERE t.kind = 'run' AND t.parent_run_id IS NULL AND t.dismissed = 0
    AND t.status IN ('failed', 'expired') AND l.rewound_at IS NULL AND l.direct IS NULL
    AND ${SOUND} AND NOT EXISTS (SELECT 1 FROM logs n WHERE n.session_key = l.session_key
      AND n.log_key > l.log_key AND n.kind = 'run' AND n.parent_run_id IS NULL
      AND n.rewound_at IS NULL)
  ORDER BY l.ended_at DESC, l.log_key DESC LIMIT ${MAX + 1}`;

const INBOX = { ...REQUEST, session_title: text, run_prompt: text, workspace: text };
const ASKED_ROW = rowsOf("requests", INBOX);
const ONE_ROW = rowsOf("requests", { ...INBOX, answer: nullable(text) });
const TROUBLE = rowsOf("logs", {
  run_id: text,
  session_id: text,
  title: text,
  prompt: text,
  status: oneOf(["failed", "expired"]),
  ended_at: real,
  body: text,
});

export function inboxReads(sql: Sql): Pick<Reads, "inbox" | "request"> {
  return {
    async inbox() {
      const requests = (await ASKED_ROW.all(sql, PENDING)).map((row) => ({ ...row }));
      const troubles = (await TROUBLE.all(sql, TROUBLES)).map(toTrouble);
      return {
        requests: requests.slice(0, MAX),
        troubles: troubles.slice(0, MAX),
        truncated: requests.length > MAX || troubles.length > MAX,
      };
    },
    async request(requestId) {
      const row = await ONE_ROW.get(sql, ONE, requestId);
      if (!row) return undefined;
      const { answer, ...request } = row;
      return { request, answer };
    },
  };
}

/** Reads why it ended from its last event, which is not stored twice. */
function toTrouble({ body, ...row }: RowOf<typeof TROUBLE>): Trouble {
  const sound = verify(body, undefined) !== undefined;
  const { payload } = (sound ? JSON.parse(body) : {}) as {
    payload?: { error?: { code: string; message: string } | null };
  };
  const { code = "unknown", message = "It ended without saying why." } = payload?.error ?? {};
  return { ...row, reason: code, message };
}
