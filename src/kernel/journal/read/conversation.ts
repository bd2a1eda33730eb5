// The runs that count for a session's conversation, and leaving some of them out. Runs that are left out stay readable.
import type { Draft, PayloadOf } from "../../events/events.ts";
import { affectedFiles } from "../admit/affected-files.ts";
import { insertRollback } from "../admit/file-commands.ts";
import type { SessionRow } from "../admit/new-session.ts";
import type { Tx } from "../transaction.ts";
import { integer, nullable, real, rowsOf, text, type RowOf } from "../rows.ts";

const Exchange = rowsOf("logs", {
  log_key: integer,
  log_id: text,
  seq: integer,
  ended_at: nullable(real),
  direct: nullable(text),
  retracted: integer,
});
export type Exchange = RowOf<typeof Exchange>;

/** Root runs that are not left out, in the order of the conversation. */
export async function conversation(tx: Tx, sessionKey: number): Promise<Exchange[]> {
  const sql = `SELECT l.log_key, l.log_id, l.seq, l.ended_at, l.direct, EXISTS (
      SELECT 1 FROM messages m WHERE m.log_key = l.log_key AND m.message_id = l.message_id
        AND m.role = 'user' AND m.text = '') AS retracted
    FROM logs l WHERE l.session_key = ? AND l.kind = 'run' AND l.parent_run_id IS NULL
      AND l.rewound_at IS NULL AND l.quarantined IS NULL ORDER BY coalesce(l.position, l.log_key)`;
  return Exchange.all(tx, sql, sessionKey);
}

/** A message and its answer: not a command, and not withdrawn. */
export function isExchange({ direct, retracted }: Exchange): boolean {
  return direct === null && retracted === 0;
}

type Rewind = {
  readonly session: SessionRow;
  readonly runs: readonly Exchange[];
  readonly reason: PayloadOf<"session.rewound">["reason"];
  readonly files: boolean;
};
export type Rewound = { event_id: string; run_ids: string[]; rollback_run_id: string | null };

/** Leaves the runs out; with `files`, admits the rollback of what they wrote. */
export async function rewind(tx: Tx, { session, runs, reason, files }: Rewind): Promise<Rewound> {
  const run_ids = runs.map(({ log_id }) => log_id);
  const written = runs.filter(isExchange).map(({ log_id }) => log_id);
  const affected = files ? await affectedFiles(tx, { runIds: written }) : undefined;
  const draft: Draft = { type: "session.rewound", payload: { run_ids, reason } };
  const event_id = await tx.append(session.session_id, [draft]);
  if (!affected) return { event_id, run_ids, rollback_run_id: null };
  const what = written.length === 1 ? `the files of run ${written[0]}` : `${written.length} runs`;
  const [only] = written;
  const scope =
    written.length === 1 && only !== undefined ? { run_id: only } : { run_ids: written };
  const { runId } = await insertRollback(tx, { session, files: affected, what, scope });
  return { event_id, run_ids, rollback_run_id: runId };
}
