// The common start of commands on a run: find it inside the transaction, or answer that there is none.
import type { Outcome } from "../../events/commands.ts";
import type { LogRow } from "../append.ts";
import type { Transact, Tx } from "../transaction.ts";

export async function onRun(
  transact: Transact,
  runId: string,
  work: (tx: Tx, run: LogRow) => Promise<Outcome | undefined>,
): Promise<Outcome | undefined> {
  return transact(runId, async (tx) => {
    const run = await tx.log(runId);
    return run && run.log_id !== run.session_id ? work(tx, run) : undefined;
  });
}
