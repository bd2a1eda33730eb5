// Which processes serve this journal, and the one-use codes that let a browser in.
import type { Database } from "./database.ts";
import type { ProcessRecord, Registry } from "./journal.ts";

export function registry(db: Database): Registry {
  return {
    async register({ process_id, kind, pid, started, host, url }) {
      await db.write(() =>
        db.run(
          `INSERT OR REPLACE INTO processes (process_id, kind, pid, started, host, url)
           VALUES (?, ?, ?, ?, ?, ?)`,
          process_id,
          kind,
          pid,
          started,
          host,
          url,
        ),
      );
    },
    async unregister(processId) {
      await db.write(() => db.run("DELETE FROM processes WHERE process_id = ?", processId));
    },
    async processes() {
      return db.all("SELECT * FROM processes ORDER BY process_id") as ProcessRecord[];
    },
    async owned() {
      const rows = db.all("SELECT runner_id, log_id FROM logs WHERE runner_id IS NOT NULL");
      const runs = Map.groupBy(rows, (row) => row["runner_id"] as string);
      return new Map(
        [...runs].map(([id, held]) => [id, held.map((row) => row["log_id"] as string)]),
      );
    },
    async addLoginCode(hash, ttlSeconds) {
      await db.write(() => {
        db.run("DELETE FROM login_codes WHERE expires_at < ?", db.now());
        db.run("INSERT INTO login_codes VALUES (?, ?)", hash, db.now() + ttlSeconds);
      });
    },
    async takeLoginCode(hash) {
      const sql = "DELETE FROM login_codes WHERE hash = ? AND expires_at >= ?";
      return db.write(() => db.run(sql, hash, db.now()) === 1);
    },
  };
}
