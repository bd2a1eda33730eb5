// Who may execute a run. A claim is a fence number: a takeover raises it, and every append compares it, so a runner that
// slept cannot write to a run that another one has taken over (X5). No clock frees a claim, because a clock can be set:
// a runner takes over another's run only after it has seen that the other is gone (kernel/run/loop/lost-runners.ts).
import type { Database } from "./sqlite/database.ts";
import type { Claim, Execution, RunnerLease } from "./journal.ts";
import type { Row } from "./sql.ts";
import { flag, integer, nullable, real, rowsOf, text, type RowOf } from "./rows.ts";

// Only the first open run of a session can be claimed (people may reorder the queue); child runs run beside their
// parent. A quarantined run can neither continue nor end, so nothing waits for it. The session whose last turn is
// the longest ago comes first.
const CLAIMABLE = `
  SELECT l.log_key, l.log_id, l.fence, l.runner_id, l.lease_until, l.handed_over, l.session_key, s.session_id
  FROM logs l JOIN sessions s USING (session_key)
  WHERE l.kind = 'run' AND l.ended_at IS NULL AND l.quarantined IS NULL
    AND (l.runner_id IS NULL
         OR l.runner_id <> ?1 AND l.runner_id IN (SELECT value FROM json_each(?2)))
    AND (l.volume = '' OR l.volume IN (SELECT value FROM json_each(?4)))
    AND CASE WHEN l.parent_run_id IS NULL THEN ?3 = 0 AND NOT EXISTS (
      SELECT 1 FROM logs o WHERE o.session_key = l.session_key AND o.kind = 'run'
        AND o.ended_at IS NULL AND o.quarantined IS NULL AND o.parent_run_id IS NULL
        AND coalesce(o.position, o.log_key) < coalesce(l.position, l.log_key))
      ELSE 1 END
  ORDER BY s.claimed_at, coalesce(l.position, l.log_key) LIMIT 1`;

export const RELEASE = `UPDATE logs SET runner_id = NULL, lease_until = NULL, handed_over = ?
  WHERE log_id = ? AND fence = ?`;

const LEASES = `SELECT runner_id, max(lease_until) AS until FROM logs
  WHERE runner_id IS NOT NULL GROUP BY runner_id`;

const LOG_IDS = rowsOf("logs", { log_id: text });
const CLAIMED_COLUMNS = {
  log_id: text,
  fence: integer,
  runner_id: nullable(text),
  lease_until: nullable(real),
  handed_over: flag,
  session_id: text,
};
const CLAIMED = rowsOf("logs", CLAIMED_COLUMNS);
const FOUND = rowsOf("logs", { ...CLAIMED_COLUMNS, log_key: integer, session_key: integer });
const LEASE = rowsOf("logs", { runner_id: text, until: real });

type Claims = Pick<Execution, "claimNext" | "renew" | "release" | "leases">;

export function claims(db: Database): Claims {
  return {
    async claimNext({ runnerId, leaseMs, lost, childrenOnly, volumes }) {
      const which = [runnerId, JSON.stringify(lost)] as const;
      const params = [...which, Number(childrenOnly), JSON.stringify(volumes)] as const;
      if (!db.get(CLAIMABLE, ...params)) return undefined; // no lock when there is no work
      return db.write(() => {
        const now = db.now();
        const found = db.get(CLAIMABLE, ...params);
        if (!found) return undefined;
        const row = FOUND.of(found);
        const claim = claimOf(row);
        db.run(
          "UPDATE logs SET fence = ?, runner_id = ?, lease_until = ?, handed_over = 0 WHERE log_key = ?",
          claim.fence,
          runnerId,
          now + leaseMs / 1000,
          row.log_key,
        );
        const turn = "UPDATE sessions SET claimed_at = ? WHERE session_key = ?";
        db.run(turn, now, row.session_key);
        return claim;
      });
    },

    async renew(runnerId, leaseMs) {
      return db.write(() => {
        const until = db.now() + leaseMs / 1000;
        db.run("UPDATE logs SET lease_until = ? WHERE runner_id = ?", until, runnerId);
        return toLogIds(db.all("SELECT log_id FROM logs WHERE runner_id = ?", runnerId));
      });
    },

    async leases() {
      return toLeases(db.all(LEASES), db.now());
    },

    async release({ runId, fence }, { handedOver } = { handedOver: false }) {
      await db.write(() => db.run(RELEASE, Number(handedOver), runId, fence));
    },
  };
}

export const toClaim = (row: Row): Claim => claimOf(CLAIMED.of(row));
export const toLogIds = (rows: readonly Row[]): string[] =>
  rows.map((row) => LOG_IDS.of(row).log_id);

function claimOf(row: RowOf<typeof CLAIMED>): Claim {
  return {
    runId: row.log_id,
    sessionId: row.session_id,
    fence: row.fence + 1,
    previousRunnerId: row.runner_id,
    heldUntil: row.lease_until,
    handedOver: row.handed_over,
  };
}

export function toLeases(rows: readonly Row[], now: number): ReadonlyMap<string, RunnerLease> {
  return new Map(
    rows.map((row) => {
      const { runner_id, until } = LEASE.of(row);
      return [runner_id, { until, restMs: (until - now) * 1_000 }];
    }),
  );
}
