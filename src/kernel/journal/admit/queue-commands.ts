// Reorders the queue. The event lists all waiting runs in their new order; claims and windows follow that list.
import type { MoveQueued, Outcome } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import type { LogRow } from "../append.ts";
import { once, outcome } from "./idempotency.ts";
import { onRun } from "./on-run.ts";
import { openRuns, queueDraft } from "./queue.ts";
import type { Transact, Tx } from "../transaction.ts";

export function moveQueued(transact: Transact) {
  return (runId: string, command: MoveQueued): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) => {
      const keyed = { scope: `move:${runId}`, key: command.command_id, command };
      return once(tx, keyed, () => move(tx, run, command.before));
    });
}

async function move(tx: Tx, run: LogRow, before: string | null): Promise<Outcome> {
  const about = { run_id: run.log_id, session_id: run.session_id };
  const waiting = (await openRuns(tx, run.session_key)).filter(({ fence }) => fence === 0);
  const moved = waiting.find(({ log_id }) => log_id === run.log_id);
  if (!moved) return outcome("not_active", { ...about, message: "It no longer waits." });
  const rest = waiting.filter((each) => each !== moved);
  const at = before === null ? rest.length : rest.findIndex(({ log_id }) => log_id === before);
  if (before === run.log_id) return outcome("duplicate", { ...about, message: "It stands there." });
  if (at < 0) {
    await checkRun(tx, run, before);
    return outcome("not_active", { ...about, message: `${before} no longer waits.` });
  }
  const wanted = rest.toSpliced(at, 0, moved);
  if (wanted.every((each, index) => each === waiting[index])) {
    return outcome("duplicate", { ...about, message: "It stands there." });
  }
  const event_id = await tx.append(run.session_id, [queueDraft(wanted)]);
  return outcome("accepted", { ...about, event_id, message: "Moved." });
}

async function checkRun(tx: Tx, run: LogRow, before: string | null): Promise<void> {
  const other = before === null ? undefined : await tx.log(before);
  if (other?.session_key === run.session_key) return;
  throw new ApiError("invalid_request", `before: the session has no run ${before}`);
}
