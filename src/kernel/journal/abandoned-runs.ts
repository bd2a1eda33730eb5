// Runs without a runner: while no runner is left they must not look active, and a stop must still reach its end (R20).
import { statusDraft } from "../state/run/status-draft.ts";
import type { LogRow } from "./append.ts";
import { toClaim } from "./claims.ts";
import type { Execution } from "./journal.ts";
import { rowsOf } from "./rows.ts";
import { LOGS } from "./tables/runs.ts";
import { pick } from "./tables/table.ts";
import type { Transact, Tx } from "./transaction.ts";

const BEGUN = `SELECT log_id, runner_id FROM logs
  WHERE kind = 'run' AND ended_at IS NULL AND quarantined IS NULL AND fence > 0 AND status = ?`;

const OWNED = rowsOf("logs", pick(LOGS, "log_id", "runner_id"));

const CLAIM = `UPDATE logs SET fence = fence + 1, runner_id = ?, lease_until = ?, handed_over = 0
  WHERE log_key = ?`;

export function abandonedRuns(
  transact: Transact,
): Pick<Execution, "pauseAbandoned" | "claimStopped"> {
  /** Handles the first run without an owner, or the next one if the first has changed meanwhile. */
  async function onEach<Result>(
    { status, lost }: { status: "running" | "cancelling"; lost: readonly string[] },
    work: (tx: Tx, run: LogRow) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    const isFree = (owner: string | null) => owner === null || lost.includes(owner);
    const rows = await transact(null, (tx) => OWNED.all(tx, BEGUN, status));
    for (const { log_id, runner_id } of rows) {
      if (!isFree(runner_id)) continue;
      const result = await transact(log_id, async (tx) => {
        const run = await tx.log(log_id);
        const same = run && run.ended_at === null && run.status === status && isFree(run.runner_id);
        return same ? work(tx, run) : undefined;
      });
      if (result !== undefined) return result;
    }
    return undefined;
  }

  return {
    async pauseAbandoned(lost) {
      await onEach({ status: "running", lost }, async (tx, { log_id }) => {
        await tx.append(log_id, [statusDraft("paused", "waiting for a runner")]);
        return undefined;
      });
    },
    claimStopped: ({ runnerId, leaseMs, lost }) =>
      onEach({ status: "cancelling", lost }, async (tx, run) => {
        await tx.run(CLAIM, runnerId, tx.now + leaseMs / 1_000, run.log_key);
        return toClaim({ ...run, lease_until: null, handed_over: 0 });
      }),
  };
}
