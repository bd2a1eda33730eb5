// Undo, retry and rerun: rewound runs stay in the journal and no longer count for the conversation. Leaving runs out,
// rolling files back and asking again are one transaction.
import type { Outcome, Rerun, Retry, StartRun, Undo } from "../../events/commands.ts";
import { stillGoing } from "./affected-files.ts";
import {
  conversation,
  isExchange,
  rewind,
  type Exchange,
  type Rewound,
} from "../read/conversation.ts";
import { once, outcome } from "./idempotency.ts";
import { insertRun, originOf } from "./new-run.ts";
import { findSession, newId, type SessionRow } from "./new-session.ts";
import { onRun } from "./on-run.ts";
import { publishQueue } from "./queue.ts";
import { applySwitches } from "./start-commands.ts";
import type { Transact, Tx } from "../transaction.ts";

export function undo(transact: Transact) {
  return (sessionId: string, command: Undo): Promise<Outcome | undefined> =>
    onNewest(transact, { sessionId, name: "undo", command }, async (tx, { session, runs, at }) => {
      const from = command.run_id === undefined ? at : placeOf(runs, command.run_id);
      if (from < 0) return notCounted({ session_id: sessionId });
      const gone = runs.slice(from);
      const files = command.files ?? false;
      const done = await rewind(tx, { session, runs: gone, reason: "undo", files });
      await publishQueue(tx, session);
      const about = { run_id: gone[0]?.log_id ?? "", session_id: sessionId };
      return accepted({ ...about, event_id: done.event_id, message: "Left out." }, done);
    });
}

export function retry(transact: Transact) {
  return (sessionId: string, command: Retry): Promise<Outcome | undefined> =>
    onNewest(transact, { sessionId, name: "retry", command }, (tx, newest) => {
      const { files = false, model } = command;
      return again(tx, newest, { reason: "retry", files, ...(model !== undefined && { model }) });
    });
}

export function rerun(transact: Transact) {
  return (runId: string, command: Rerun): Promise<Outcome | undefined> =>
    onRun(transact, runId, (tx, run) => {
      const keyed = { scope: `rerun:${runId}`, key: command.message_id, command };
      return once(tx, keyed, async () => {
        const about = { run_id: runId, session_id: run.session_id };
        const session = await findSession(tx, run.session_id);
        if (!session) throw new Error(`run ${runId} has no session`);
        const runs = await conversation(tx, session.session_key);
        const at = placeOf(runs, runId);
        if (at < 0) return notCounted(about);
        if (await isBusy(tx, runs)) return busy(about);
        const { files = false, message, message_id } = command;
        const said = { message, ...(message_id !== undefined && { message_id }) };
        return again(tx, { session, runs, at }, { reason: "edit", files, ...said });
      });
    });
}

/** -1: the run is not, or no longer, part of the conversation. */
function placeOf(runs: readonly Exchange[], runId: string): number {
  return runs.findIndex((run) => run.log_id === runId && isExchange(run));
}

function notCounted(about: { run_id?: string; session_id: string }): Outcome {
  const message = "That run is not part of the conversation (any more).";
  return outcome("not_active", { ...about, message });
}

type Newest = { session: SessionRow; runs: readonly Exchange[]; at: number };
type Named = { sessionId: string; name: string; command: { command_id?: string | undefined } };

/** For commands on the newest exchange: it must exist, and no run may be active. */
function onNewest(
  transact: Transact,
  { sessionId, name, command }: Named,
  work: (tx: Tx, newest: Newest) => Promise<Outcome>,
): Promise<Outcome | undefined> {
  return transact(sessionId, async (tx) => {
    const session = await findSession(tx, sessionId);
    if (!session) return undefined;
    const keyed = { scope: `${name}:${sessionId}`, key: command.command_id, command };
    return once(tx, keyed, async () => {
      const runs = await conversation(tx, session.session_key);
      if (await isBusy(tx, runs)) return busy({ session_id: sessionId });
      const at = runs.findLastIndex(isExchange);
      if (at >= 0) return work(tx, { session, runs, at });
      const message = `There is nothing left to ${name}.`;
      return outcome("not_active", { session_id: sessionId, message });
    });
  });
}

type Again = {
  readonly reason: "retry" | "edit";
  readonly files: boolean;
  readonly model?: string;
  readonly message?: string; // other words
  readonly message_id?: string;
};

/** Leaves out `at` and everything after it, and asks again. The rollback runs before the new run. */
async function again(tx: Tx, { session, runs, at }: Newest, request: Again): Promise<Outcome> {
  const first = runs[at];
  if (!first) throw new Error("there is no run to repeat");
  const { message, queued } = await originOf(tx, first.log_key);
  const { model, files, reason } = request;
  const now = await applySwitches(tx, session, model === undefined ? {} : { model });
  const done = await rewind(tx, { session: now, runs: runs.slice(at), reason, files });
  const runId = newId("run");
  const command: StartRun = {
    message: request.message ?? message.text,
    attachments: message.attachments,
    toolsets: queued.toolsets,
    metadata: queued.metadata,
    source: queued.source,
    ...(queued.instructions !== null && { instructions: queued.instructions }),
    ...(queued.history && { history: queued.history }),
  };
  const event_id = await insertRun(tx, {
    runId,
    session: now,
    messageId: request.message_id ?? newId("msg"),
    mode: "start",
    command,
    parent: null,
    budget: queued.budget ?? null,
  });
  await publishQueue(tx, now);
  const about = { run_id: runId, session_id: session.session_id, event_id };
  return accepted({ ...about, message: "The run is queued." }, done);
}

function isBusy(tx: Tx, runs: readonly Exchange[]): Promise<boolean> {
  return stillGoing(
    tx,
    runs.map(({ log_id }) => log_id),
  );
}

function busy(about: { run_id?: string; session_id: string }): Outcome {
  const message = "A run is active or waits: stop it first.";
  return outcome("conflict", { ...about, message });
}

type About = { run_id: string; session_id: string; event_id: string; message: string };

function accepted(about: About, { run_ids, rollback_run_id }: Rewound): Outcome {
  return { ...outcome("accepted", about), payload: { run_ids, rollback_run_id } };
}
