// The processes that serve this journal, and the one-time codes that log a browser in.
import type { ProcessRecord, Registry } from "./journal.ts";
import { isAlive } from "./liveness.ts";
import { sharedValues } from "./shared-values.ts";
import type { Sql } from "./sql.ts";
import type { Transact } from "./transaction.ts";
import { integer, json, nullable, oneOf, real, rowsOf, text } from "./rows.ts";

/** How long an expired code is distinguished from an unknown one. */
const KNOWN_EXPIRED_S = 86_400;

const REGISTER = `
  INSERT INTO processes (process_id, kind, pid, started, host, url, volumes) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (process_id) DO UPDATE SET kind = excluded.kind, pid = excluded.pid,
    started = excluded.started, host = excluded.host, url = excluded.url, volumes = excluded.volumes`;
const PROCESSES = `SELECT process_id, kind, pid, started, host, url, volumes FROM processes
  ORDER BY process_id`;
const ON_VOLUMES = `SELECT log_id, volume FROM logs WHERE kind = 'run' AND ended_at IS NULL
  AND quarantined IS NULL AND runner_id IS NULL AND volume <> '' ORDER BY log_key`;

const PROCESS = rowsOf("processes", {
  process_id: text,
  kind: oneOf(["serve", "runner", "gateway"]),
  pid: integer,
  started: text,
  host: text,
  url: nullable(text),
  volumes: json<string[]>(),
});
const HELD = rowsOf("logs", { runner_id: text, log_id: text });
const ON_VOLUME = rowsOf("logs", { volume: text, log_id: text });
const CODE = rowsOf("login_codes", { expires_at: real });

export function registry(sql: Sql, transact: Transact): Registry {
  return {
    ...sharedValues(sql, transact),
    async register({ process_id, kind, pid, started, host, url, volumes }) {
      const about = [process_id, kind, pid, started, host, url, JSON.stringify(volumes)] as const;
      await transact(null, (tx) => tx.run(REGISTER, ...about));
    },
    async unregister(processId) {
      const gone = "DELETE FROM processes WHERE process_id = ?";
      await transact(null, (tx) => tx.run(gone, processId));
    },
    processes: () => processes(sql),
    async owned() {
      const held = "SELECT runner_id, log_id FROM logs WHERE runner_id IS NOT NULL";
      const runs = Map.groupBy(await HELD.all(sql, held), ({ runner_id }) => runner_id);
      return new Map([...runs].map(([id, rows]) => [id, rows.map(({ log_id }) => log_id)]));
    },
    async unreached() {
      const waiting = await ON_VOLUME.all(sql, ON_VOLUMES);
      const reached = waiting.length > 0 ? await reachedVolumes(sql) : new Set();
      const runs = Map.groupBy(waiting, ({ volume }) => volume);
      return new Map(
        [...runs]
          .filter(([volume]) => !reached.has(volume))
          .map(([volume, rows]) => [volume, rows.map(({ log_id }) => log_id)]),
      );
    },
    async addLoginCode(hash, ttlSeconds) {
      await transact(null, async (tx) => {
        await tx.run("DELETE FROM login_codes WHERE expires_at < ?", tx.now - KNOWN_EXPIRED_S);
        await tx.run(
          "INSERT INTO login_codes (hash, expires_at) VALUES (?, ?)",
          hash,
          tx.now + ttlSeconds,
        );
      });
    },
    async takeLoginCode(hash) {
      const taking = "DELETE FROM login_codes WHERE hash = ? RETURNING expires_at";
      return transact(null, async (tx) => {
        const code = await CODE.get(tx, taking, hash);
        if (!code) return "unknown";
        return code.expires_at >= tx.now ? "taken" : "expired";
      });
    },
  };
}

async function processes(sql: Sql): Promise<ProcessRecord[]> {
  return (await PROCESS.all(sql, PROCESSES)).map((row) => ({ ...row }));
}

/** Of runners that are not known to be dead. */
export async function reachedVolumes(sql: Sql): Promise<ReadonlySet<string>> {
  const live = (await processes(sql)).filter(
    (record) => record.kind === "runner" && isAlive(record) !== false,
  );
  return new Set(live.flatMap(({ volumes }) => volumes));
}
