// Usage and file changes of a run with its subagents, or of a session; and where a branched session came from.
import type { ChangeRecord } from "../../api/records/records.ts";
import type { PayloadOf } from "../../events/events.ts";
import type { Reads } from "../journal.ts";
import type { Sql } from "../sql.ts";
import { flag, integer, json, nullable, real, rowsOf, text, type RowOf } from "../rows.ts";

/** The log keys of a run and of all runs below it; the run's id is ?1. */
const SUBTREE = `
  WITH RECURSIVE below (log_key, log_id) AS (
    SELECT log_key, log_id FROM logs WHERE log_id = ?1 AND kind = 'run' UNION
    SELECT l.log_key, l.log_id FROM below b JOIN logs l ON l.parent_run_id = b.log_id)`;
const SPENT = `${SUBTREE}
  SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_usd), 0) AS cost_usd,
         coalesce(max(unpriced), 0) AS unpriced, coalesce(sum(tool_calls), 0) AS tool_calls
  FROM logs WHERE log_key IN (SELECT log_key FROM below)`;
const CHANGED = `
  SELECT c.seq, c.session_seq, c.body, l.log_id, l.workspace
  FROM changes c JOIN logs l USING (log_key)`;

const BY_RUN = `${SUBTREE} ${CHANGED} WHERE c.log_key IN (SELECT log_key FROM below)
  ORDER BY c.session_seq`;
const BY_SESSION = `${CHANGED} WHERE c.session_key =
  (SELECT session_key FROM sessions WHERE session_id = ?) ORDER BY c.session_seq`;

const USED = rowsOf("logs", {
  tokens: integer,
  cost_usd: real,
  unpriced: flag,
  tool_calls: integer,
});
const CHANGE = rowsOf("changes", {
  log_id: text,
  seq: integer,
  session_seq: integer,
  body: json<PayloadOf<"files.changed">>(),
  workspace: text,
});
const ORIGIN = rowsOf("sessions", {
  branched_from: nullable(json<{ session_id: string; run_id: string; seq: number }>()),
});

type WorkReads = Pick<Reads, "spent" | "changes" | "branchedFrom">;

export function workReads(sql: Sql): WorkReads {
  return {
    async spent(runId) {
      return { ...(await USED.one(sql, SPENT, runId)) };
    },
    async changes(of) {
      const rows =
        "runId" in of
          ? await CHANGE.all(sql, BY_RUN, of.runId)
          : await CHANGE.all(sql, BY_SESSION, of.sessionId);
      return rows.flatMap(toChanges);
    },
    async branchedFrom(sessionId) {
      const from = "SELECT branched_from FROM sessions WHERE session_id = ?";
      const point = (await ORIGIN.get(sql, from, sessionId))?.branched_from;
      if (!point) return undefined;
      return { sessionId: point.session_id, runId: point.run_id, seq: point.seq };
    },
  };
}

function toChanges({
  log_id,
  body,
  seq,
  session_seq,
  workspace,
}: RowOf<typeof CHANGE>): ChangeRecord[] {
  const { call_id, checkpoint_id, changes } = body;
  const about = { run_id: log_id, call_id, checkpoint_id, seq, session_seq, workspace };
  return changes.map((change) => ({ ...change, ...about }));
}
