// Which runs' spans are wanted, and how far each was delivered. One process delivers a run at a time; what it did not
// get to say, the next one does.
import type { Journal } from "../../../kernel/journal/journal.ts";
import { integer, real, rowsOf, text, type RowOf } from "../../../kernel/journal/rows.ts";

/** A run whose spans are wanted, and up to which event they were delivered. */
export type Traced = { readonly runId: string; readonly seq: number };

export interface Traces {
  /** From now on its spans are delivered, first of all by whoever works on it. */
  traceRun(runId: string, exporter: string, leaseMs: number): Promise<void>;
  /** Those that nobody else delivers; they stay `exporter`'s while it keeps asking. */
  takeTraces(exporter: string, leaseMs: number): Promise<readonly Traced[]>;
  /** `ended`: there is nothing more to deliver. Those that somebody else delivers by now stay as they are. */
  deliveredTraces(
    exporter: string,
    traced: readonly (Traced & { readonly ended: boolean })[],
  ): Promise<void>;
  /** It delivers no more: whoever comes next need not wait. */
  releaseTraces(exporter: string): Promise<void>;
}

const MAX = 500;
const TRACE = `INSERT INTO traces (run_id, exporter, lease_until) VALUES (?, ?, ?)
  ON CONFLICT (run_id) DO UPDATE SET exporter = excluded.exporter, lease_until = excluded.lease_until`;
const FREE = `SELECT run_id FROM traces WHERE exporter = ? OR lease_until < ? ORDER BY run_id LIMIT ${MAX}`;
const TAKE = `UPDATE traces SET exporter = ?, lease_until = ?
  WHERE run_id IN (SELECT value FROM json_each(?)) AND (exporter = ? OR lease_until < ?)`;
const KNOWN = `SELECT run_id, seq, exporter, lease_until FROM traces
  WHERE exporter = ? OR lease_until < ? ORDER BY run_id LIMIT ${MAX}`;
const MINE = "SELECT run_id, seq FROM traces WHERE exporter = ? ORDER BY run_id";

const TRACED = rowsOf("traces", { run_id: text, seq: integer });
const TRACE_ROW = rowsOf("traces", {
  run_id: text,
  seq: integer,
  exporter: text,
  lease_until: real,
});

export function traceStore({ database }: Pick<Journal, "database">): Traces {
  const { sql, transact } = database;
  return {
    async traceRun(runId, exporter, leaseMs) {
      const until = (now: number) => now + leaseMs / 1_000;
      await transact(null, (tx) => tx.run(TRACE, runId, exporter, until(tx.now)));
    },
    async releaseTraces(exporter) {
      const release = "UPDATE traces SET exporter = '', lease_until = 0 WHERE exporter = ?";
      await transact("traces", (tx) => tx.run(release, exporter));
    },
    async takeTraces(exporter, leaseMs) {
      // Mostly nothing has to be written: none is there, or all are held for a while yet.
      const now = Date.now() / 1_000;
      const known = await TRACE_ROW.all(sql, KNOWN, exporter, now);
      if (known.every((row) => isHeld(row, exporter, now + leaseMs / 2_000)))
        return known.map(toTraced);
      return transact("traces", async (tx) => {
        const free = (await tx.all(FREE, exporter, tx.now)).map(({ run_id }) => run_id);
        const until = tx.now + leaseMs / 1_000;
        await tx.run(TAKE, exporter, until, JSON.stringify(free), exporter, tx.now);
        return (await TRACED.all(tx, MINE, exporter)).map(toTraced);
      });
    },
    async deliveredTraces(exporter, traced) {
      const moved = "UPDATE traces SET seq = ? WHERE run_id = ? AND exporter = ?";
      const gone = "DELETE FROM traces WHERE run_id = ? AND exporter = ?";
      await transact("traces", async (tx) => {
        for (const { runId, seq, ended } of traced) {
          if (ended) await tx.run(gone, runId, exporter);
          else await tx.run(moved, seq, runId, exporter);
        }
      });
    },
  };
}

function isHeld(row: RowOf<typeof TRACE_ROW>, exporter: string, until: number): boolean {
  return row.exporter === exporter && row.lease_until > until;
}

function toTraced({ run_id, seq }: RowOf<typeof TRACED>): Traced {
  return { runId: run_id, seq };
}
