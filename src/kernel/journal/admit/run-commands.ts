// Stops a run, or adds a message to it. Each decision becomes events in one transaction, so a crash cannot lose it.
import type { CancelRun, Outcome, QueueMessage } from "../../events/commands.ts";
import type { Draft } from "../../events/events.ts";
import { NO_USAGE } from "../../state/run/state.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import type { LogRow } from "../append.ts";
import { once, outcome } from "./idempotency.ts";
import { onRun } from "./on-run.ts";
import { insertRun } from "./new-run.ts";
import { findSession, newId } from "./new-session.ts";
import { isQueueFull, openRuns, publishQueue, QUEUE_FULL } from "./queue.ts";
import type { Transact, Tx } from "../transaction.ts";
import { rowsOf, text } from "../rows.ts";

export function cancelRun(transact: Transact) {
  return (runId: string, command: CancelRun): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) => {
      const keyed = { scope: `run:${runId}`, key: command.command_id, command };
      return once(tx, keyed, () => stop(tx, run, command));
    });
}

export function stopActive(transact: Transact) {
  return (sessionId: string, command: CancelRun): Promise<Outcome | undefined> =>
    transact(sessionId, async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) return undefined;
      const keyed = { scope: `stop:${sessionId}`, key: command.command_id, command };
      return once(tx, keyed, async () => {
        const [active] = await openRuns(tx, session.session_key);
        const run = active && (await tx.log(active.log_id));
        if (run) return stop(tx, run, command);
        return outcome("accepted", { session_id: sessionId, message: "Nothing is running." });
      });
    });
}

async function stop(tx: Tx, run: LogRow, command: CancelRun): Promise<Outcome> {
  const about = { run_id: run.log_id, session_id: run.session_id };
  if (run.ended_at !== null) {
    return outcome("not_active", { ...about, message: "The run has ended." });
  }
  if (run.status === "cancelling") {
    return outcome("duplicate", { ...about, message: "The run is being cancelled." });
  }
  const event_id = await cancel(tx, run, { reason: command.reason ?? "asked to stop" });
  return outcome("accepted", { ...about, event_id, message: "Cancelling." });
}

type Cancelling = {
  readonly reason: string;
  readonly before?: readonly Draft[];
  readonly quiet?: boolean; // a caller that cancels many runs publishes the queue once
};

export async function cancel(tx: Tx, run: LogRow, { reason, before = [], quiet }: Cancelling) {
  const event_id = await cancelOne(tx, run, [...before, statusDraft("cancelling", reason)]);
  await cancelBelow(tx, run);
  if (quiet || run.fence > 0) return event_id;
  const parent = await tx.get("SELECT parent_run_id FROM logs WHERE log_key = ?", run.log_key);
  if (parent?.["parent_run_id"] === null) await publishQueue(tx, run, { shrunk: true });
  return event_id;
}

function cancelOne(tx: Tx, run: LogRow, drafts: readonly Draft[]): Promise<string> {
  // No runner ever owned this run, so nobody else would end it.
  const ended = run.fence > 0 ? [] : [cancelled(run.seq + drafts.length + 1)];
  return tx.append(run.log_id, [...drafts, ...ended]);
}

const LOG_ID = rowsOf("logs", { log_id: text });
const BELOW = `
  WITH RECURSIVE below (log_id) AS (
    SELECT log_id FROM logs WHERE parent_run_id = ? UNION
    SELECT l.log_id FROM below b JOIN logs l ON l.parent_run_id = b.log_id)
  SELECT l.log_id FROM logs l JOIN below USING (log_id)
  WHERE l.ended_at IS NULL AND l.quarantined IS NULL AND l.status <> 'cancelling' ORDER BY l.log_key`;

/** If only the parent's runner stopped them, subagents would continue while it is dead or its successor busy. */
async function cancelBelow(tx: Tx, { log_id }: LogRow): Promise<void> {
  for (const below of await LOG_ID.all(tx, BELOW, log_id)) {
    const run = await tx.log(below.log_id);
    if (run) await cancelOne(tx, run, [statusDraft("cancelling", "its parent was stopped")]);
  }
}

function cancelled(lastSeq: number): Draft {
  const payload = { status: "cancelled", result: null, error: null } as const;
  return { type: "done", payload: { ...payload, usage: NO_USAGE, last_seq: lastSeq } };
}

export function queueMessage(transact: Transact) {
  return (runId: string, command: QueueMessage): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) => {
      const keyed = { scope: `messages:${runId}`, key: command.message_id, command };
      return once(tx, keyed, async () => {
        const about = { run_id: runId, session_id: run.session_id };
        if (run.ended_at !== null || run.status === "cancelling") {
          return outcome("not_active", {
            ...about,
            message: "The run has ended: start a new one.",
          });
        }
        return command.mode === "steer" ? steer(tx, run, command) : enqueue(tx, run, command);
      });
    });
}

async function steer(tx: Tx, run: LogRow, command: QueueMessage): Promise<Outcome> {
  const { message_id = newId("msg"), message: text, attachments = [] } = command;
  const payload = { message_id, text, mode: "steer" as const, attachments };
  const event_id = await tx.append(run.log_id, [{ type: "message.user", payload }]);
  const about = { run_id: run.log_id, session_id: run.session_id, event_id };
  return outcome("accepted", { ...about, message: "The agent reads it before its next step." });
}

async function enqueue(tx: Tx, run: LogRow, command: QueueMessage): Promise<Outcome> {
  const session = await findSession(tx, run.session_id);
  if (!session) throw new Error(`run ${run.log_id} has no session`);
  if (await isQueueFull(tx, session.session_key)) {
    return outcome("conflict", { session_id: run.session_id, message: QUEUE_FULL });
  }
  const runId = newId("run");
  const event_id = await insertRun(tx, {
    runId,
    session,
    mode: "queue",
    parent: null,
    messageId: command.message_id ?? newId("msg"),
    command: {
      message: command.message,
      ...(command.attachments && { attachments: command.attachments }),
    },
  });
  await publishQueue(tx, session);
  const about = { run_id: runId, session_id: run.session_id, event_id };
  return outcome("accepted", { ...about, message: "Queued behind the running run." });
}
