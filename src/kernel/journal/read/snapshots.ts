// Stored folds: of a run for the runner that continues it, of a session (in place of its own log) for windows. A snapshot
// is a cache with a checksum in front: a damaged one is dropped and folded again from the events, never served (D7).
import { hash } from "node:crypto";
import type { RunSnapshot } from "../../state/run/state.ts";
import type { Execution, Reads } from "../journal.ts";
import type { Sql } from "../sql.ts";
import type { Transact } from "../transaction.ts";
import { integer, rowsOf, text } from "../rows.ts";

const CHECKSUM = 64;

const SAVE = `
  INSERT INTO snapshots (log_key, seq, body)
  SELECT log_key, CAST(? AS INTEGER), CAST(? AS TEXT) FROM logs WHERE log_id = ?
  ON CONFLICT (log_key) DO UPDATE SET seq = excluded.seq, body = excluded.body`;
const SAVED = "SELECT s.seq, s.body FROM snapshots s JOIN logs USING (log_key) WHERE log_id = ?";

const FOLD = rowsOf("snapshots", { seq: integer, body: text });

export type Snapshots = Pick<Reads, "snapshot" | "savedFold"> &
  Pick<Execution, "saveSnapshot" | "saveFold">;
type Saved = { readonly seq: number; readonly text: string };

/** The checksum covers the log and its position too. */
function checksumOf(logId: string, seq: number, text: string): string {
  return hash("sha256", `${logId}:${seq}\n${text}`);
}

export function isIntact(logId: string, seq: number, body: string): boolean {
  return checksumOf(logId, seq, body.slice(CHECKSUM)) === body.slice(0, CHECKSUM);
}

export function snapshots(sql: Sql, transact: Transact): Snapshots {
  const save = async (logId: string, { seq, text }: Saved) => {
    const body = checksumOf(logId, seq, text) + text;
    await transact(null, (tx) => tx.run(SAVE, seq, body, logId));
  };
  const saved = async (logId: string): Promise<Saved | undefined> => {
    const row = await FOLD.get(sql, SAVED, logId);
    if (!row || !isIntact(logId, row.seq, row.body)) return undefined;
    return { seq: row.seq, text: row.body.slice(CHECKSUM) };
  };
  return {
    saveSnapshot: (snapshot) =>
      save(snapshot.runId, { seq: snapshot.seq, text: JSON.stringify(snapshot) }),
    async snapshot(runId) {
      const found = await saved(runId);
      return found && (JSON.parse(found.text) as RunSnapshot);
    },
    saveFold: (sessionId, reducer, { seq, text }) =>
      save(sessionId, { seq, text: `${reducer} ${text}` }),
    async savedFold(sessionId, reducer) {
      const found = await saved(sessionId);
      const mark = `${reducer} `;
      return found?.text.startsWith(mark)
        ? { seq: found.seq, text: found.text.slice(mark.length) }
        : undefined;
    },
  };
}
