// The runs that wait in a session behind its active run, in the order in which they will run.
import type { Draft } from "../../events/events.ts";
import type { Tx } from "../transaction.ts";
import { integer, rowsOf, text, type RowOf } from "../rows.ts";

const OpenRun = rowsOf("logs", { log_id: text, message_id: text, prompt: text, fence: integer });
export type OpenRun = RowOf<typeof OpenRun>;

/** The active run first. A quarantined run can neither continue nor end, so nothing waits for it. */
export async function openRuns(tx: Tx, sessionKey: number): Promise<OpenRun[]> {
  const sql = `SELECT log_id, message_id, prompt, fence FROM logs WHERE session_key = ?
    AND kind = 'run' AND ended_at IS NULL AND parent_run_id IS NULL AND quarantined IS NULL
    ORDER BY coalesce(position, log_key)`;
  return OpenRun.all(tx, sql, sessionKey);
}

/** Each change of the queue is one event with the whole queue: without a bound the journal grows quadratically. */
export const MAX_WAITING = 200;

export async function isQueueFull(tx: Tx, sessionKey: number): Promise<boolean> {
  return (await openRuns(tx, sessionKey)).length > MAX_WAITING;
}

export const QUEUE_FULL = `${MAX_WAITING} messages wait in this session. Let some run, or take some back.`;

export function queueDraft(waiting: readonly OpenRun[]): Draft {
  const items = waiting.map(({ log_id, message_id, prompt }) => ({
    run_id: log_id,
    message_id,
    text: prompt,
  }));
  return { type: "queue.updated", payload: { items } };
}

type Session = { readonly session_key: number; readonly session_id: string };

/** Publishes the queue to the session's windows. `shrunk`: also if it is empty now. */
export async function publishQueue(
  tx: Tx,
  session: Session,
  { shrunk = false }: { shrunk?: boolean } = {},
): Promise<void> {
  const open = await openRuns(tx, session.session_key);
  if (open.length < (shrunk ? 1 : 2)) return;
  await tx.append(session.session_id, [queueDraft(open.slice(1))]);
}
