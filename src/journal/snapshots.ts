// Saved folds. A snapshot is a cache with a checksum in front: one that was damaged is forgotten and
// folded anew from the events, never served (D7).
import { hash } from "node:crypto";
import type { RunSnapshot } from "../protocol/run-state.ts";
import type { Execution, Reads } from "./journal.ts";
import type { Sql } from "./sql.ts";
import type { Transact } from "./transaction.ts";

const CHECKSUM = 64;

const SAVE = `
  INSERT INTO snapshots (log_key, seq, body)
  SELECT log_key, CAST(? AS INTEGER), CAST(? AS TEXT) FROM logs WHERE log_id = ?
  ON CONFLICT (log_key) DO UPDATE SET seq = excluded.seq, body = excluded.body`;
const SAVED = "SELECT body FROM snapshots JOIN logs USING (log_key) WHERE log_id = ?";

type Snapshots = Pick<Reads, "snapshot"> & Pick<Execution, "saveSnapshot">;

export function snapshots(sql: Sql, transact: Transact): Snapshots {
  return {
    async saveSnapshot(snapshot) {
      const text = JSON.stringify(snapshot);
      const body = hash("sha256", text) + text;
      await transact(null, (tx) => tx.run(SAVE, snapshot.seq, body, snapshot.runId));
    },
    async snapshot(runId) {
      const body = (await sql.get(SAVED, runId))?.["body"] as string | undefined;
      const text = body?.slice(CHECKSUM);
      if (text === undefined || hash("sha256", text) !== body?.slice(0, CHECKSUM)) return undefined;
      return JSON.parse(text) as RunSnapshot;
    },
  };
}
