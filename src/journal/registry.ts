// Which processes serve this journal, and the one-use codes that let a browser in.
import type { ProcessRecord, Registry } from "./journal.ts";
import type { Sql } from "./sql.ts";
import type { Transact } from "./transaction.ts";

const REGISTER = `
  INSERT INTO processes (process_id, kind, pid, started, host, url) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (process_id) DO UPDATE SET kind = excluded.kind, pid = excluded.pid,
    started = excluded.started, host = excluded.host, url = excluded.url`;

export function registry(sql: Sql, transact: Transact): Registry {
  return {
    async register({ process_id, kind, pid, started, host, url }) {
      const about = [process_id, kind, pid, started, host, url] as const;
      await transact(null, (tx) => tx.run(REGISTER, ...about));
    },
    async unregister(processId) {
      const gone = "DELETE FROM processes WHERE process_id = ?";
      await transact(null, (tx) => tx.run(gone, processId));
    },
    async processes() {
      return (await sql.all("SELECT * FROM processes ORDER BY process_id")) as ProcessRecord[];
    },
    async owned() {
      const held = "SELECT runner_id, log_id FROM logs WHERE runner_id IS NOT NULL";
      const runs = Map.groupBy(await sql.all(held), (row) => row["runner_id"] as string);
      return new Map(
        [...runs].map(([id, rows]) => [id, rows.map((row) => row["log_id"] as string)]),
      );
    },
    async addLoginCode(hash, ttlSeconds) {
      await transact(null, async (tx) => {
        await tx.run("DELETE FROM login_codes WHERE expires_at < ?", tx.now);
        await tx.run("INSERT INTO login_codes VALUES (?, ?)", hash, tx.now + ttlSeconds);
      });
    },
    async takeLoginCode(hash) {
      const taken = "DELETE FROM login_codes WHERE hash = ? AND expires_at >= ?";
      return transact(null, async (tx) => (await tx.run(taken, hash, tx.now)) === 1);
    },
  };
}
