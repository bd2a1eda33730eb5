// Saved folds. A snapshot is a cache with a checksum in front: one that was damaged is forgotten and
// folded anew from the events, never served (D7).
import { hash } from "node:crypto";
import type { RunSnapshot } from "../protocol/run-state.ts";
import type { Database } from "./database.ts";
import type { Execution, Reads } from "./journal.ts";

const CHECKSUM = 64;

export function snapshots(db: Database): Pick<Reads, "snapshot"> & Pick<Execution, "saveSnapshot"> {
  return {
    async saveSnapshot(snapshot) {
      const text = JSON.stringify(snapshot);
      await db.write(() =>
        db.run(
          `INSERT OR REPLACE INTO snapshots (log_key, seq, body)
           SELECT log_key, ?, ? FROM logs WHERE log_id = ?`,
          snapshot.seq,
          hash("sha256", text) + text,
          snapshot.runId,
        ),
      );
    },
    async snapshot(runId) {
      const sql = "SELECT body FROM snapshots JOIN logs USING (log_key) WHERE log_id = ?";
      const body = (await db.read(() => db.get(sql, runId)))?.["body"] as string | undefined;
      const text = body?.slice(CHECKSUM);
      if (text === undefined || hash("sha256", text) !== body?.slice(0, CHECKSUM)) return undefined;
      return JSON.parse(text) as RunSnapshot;
    },
  };
}
