// Claims in Postgres: any number of runners ask at once, and each gets another run. The session's row is locked with the
// run's, so that no command decides about a run that is being claimed; sessions that are locked at this moment are
// skipped and tried again. If the answer to a claim is lost, the claim is looked up: otherwise its runner would renew a
// run that it does not know of, and nobody would work on it.
import { setTimeout as pause } from "node:timers/promises";
import { RELEASE, toClaim, toLeases, toLogIds } from "../claims.ts";
import type { Execution } from "../journal.ts";
import type { Value } from "../sql.ts";
import type { Transact } from "../transaction.ts";
import { untilThrough, type Connection } from "./connection.ts";
import { all } from "./sql-client.ts";
import { real, rowsOf } from "../rows.ts";

const NOW = "extract(epoch FROM clock_timestamp())::float8";
/** Checked again on the locked row, because the row that was found may be stale. */
const FREE = `l.ended_at IS NULL AND l.quarantined IS NULL
  AND (l.runner_id IS NULL OR l.runner_id <> ?4 AND l.runner_id = ANY (CAST(?1 AS text[])))`;
const CLAIMABLE = `
  SELECT l.log_key FROM logs l JOIN sessions s USING (session_key)
  WHERE l.kind = 'run' AND ${FREE}
    AND (l.volume = '' OR l.volume = ANY (CAST(?2 AS text[])))
    AND CASE WHEN l.parent_run_id IS NOT NULL THEN true ELSE NOT CAST(?3 AS boolean) AND NOT EXISTS (
      SELECT 1 FROM logs o WHERE o.session_key = l.session_key AND o.kind = 'run'
        AND o.ended_at IS NULL AND o.quarantined IS NULL AND o.parent_run_id IS NULL
        AND coalesce(o.position, o.log_key) < coalesce(l.position, l.log_key)) END
  ORDER BY s.claimed_at, coalesce(l.position, l.log_key) LIMIT 1`;
const CLAIM = `
  WITH found AS (${CLAIMABLE} FOR UPDATE OF s SKIP LOCKED),
  before AS (SELECT l.log_key, l.fence, l.runner_id, l.lease_until, l.handed_over FROM logs l JOIN found USING (log_key) FOR UPDATE OF l),
  taken AS (
    UPDATE logs l SET fence = l.fence + 1, runner_id = ?4, lease_until = ${NOW} + CAST(?5 AS float8),
      handed_over = 0
    FROM before b WHERE l.log_key = b.log_key AND ${FREE}
    RETURNING l.log_id, l.session_key, b.fence, b.runner_id, b.lease_until, b.handed_over)
  UPDATE sessions s SET claimed_at = ${NOW} FROM taken t WHERE s.session_key = t.session_key
  RETURNING t.log_id, s.session_id, t.fence, t.runner_id, t.lease_until, t.handed_over`;
const LEASES = `SELECT runner_id, max(lease_until) AS until, ${NOW} AS now FROM logs
  WHERE runner_id IS NOT NULL GROUP BY runner_id`;

// In the order of the keys, as appends to several logs do.
const RENEW = `
  UPDATE logs l SET lease_until = ${NOW} + CAST(?2 AS float8)
  FROM (SELECT log_key FROM logs WHERE runner_id = ?1 ORDER BY log_key FOR UPDATE) AS own
  WHERE l.log_key = own.log_key RETURNING l.log_id`;

/** A skipped session is locked for as long as a commit takes. */
const BUSY_MS = 15;
const BUSY_TRIES = 20;

const LEASED = rowsOf("logs", { now: real });

type Claims = Pick<Execution, "claimNext" | "renew" | "release" | "leases">;

export function claims(connection: Connection, transact: Transact): Claims {
  const ask = (sql: string, ...params: Value[]) =>
    connection.persist(() =>
      untilThrough(() => connection.withClient((client) => all(client, sql, params))),
    );
  return {
    async claimNext({ runnerId, leaseMs, lost, childrenOnly, volumes }) {
      const request = [textArray(lost), textArray(volumes), String(childrenOnly)] as const;
      const which = [...request, runnerId] as const;
      for (let tries = 1; tries <= BUSY_TRIES; tries += 1) {
        const [waiting] = await ask(CLAIMABLE, ...which);
        if (!waiting) return undefined; // no lock when there is no work
        const [taken] = await transact(null, (tx) => tx.all(CLAIM, ...which, leaseMs / 1000));
        if (taken) return toClaim(taken);
        await pause(BUSY_MS);
      }
      return undefined;
    },
    async renew(runnerId, leaseMs) {
      return toLogIds(await ask(RENEW, runnerId, leaseMs / 1000));
    },
    async leases() {
      const rows = await ask(LEASES);
      return toLeases(rows, rows[0] ? LEASED.of(rows[0]).now : 0);
    },
    async release({ runId, fence }, { handedOver } = { handedOver: false }) {
      await ask(RELEASE, Number(handedOver), runId, fence);
    },
  };
}

function textArray(items: readonly string[]): string {
  return `{${items.map((item) => JSON.stringify(item)).join(",")}}`;
}
