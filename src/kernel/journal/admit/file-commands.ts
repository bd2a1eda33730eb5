// A rollback is a direct run: it is admitted here with its list of files, and executed by the tool host.
import type { Outcome, Rollback } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import { affectedFiles, stillGoing, type Affected, type FileScope } from "./affected-files.ts";
import { insertDirect } from "./direct-runs.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession, type SessionRow } from "./new-session.ts";
import { publishQueue } from "./queue.ts";
import type { Transact, Tx } from "../transaction.ts";

/** The arguments of the tool `rollback` (see kernel/run/tools/rollback.ts). */
export type RollbackArguments = {
  session_id?: string;
  after_session_seq?: number;
  run_id?: string;
  run_ids?: string[];
  checkpoint_id?: string;
  paths?: string[];
  preview?: boolean;
};

export function rollback(transact: Transact) {
  return (sessionId: string, command: Rollback): Promise<Outcome | undefined> =>
    transact(sessionId, async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) return undefined;
      const keyed = { scope: `rollback:${sessionId}`, key: command.command_id, command };
      return once(tx, keyed, async () => {
        const { run_id, checkpoint_id, preview } = command;
        if (run_id !== undefined) await checkRun(tx, session, run_id);
        if (await mayGrow(tx, session, command)) {
          return outcome("conflict", { session_id: sessionId, message: MAY_GROW });
        }
        const ofCall = checkpoint_id === undefined ? {} : { checkpointId: checkpoint_id };
        const scope: FileScope =
          run_id === undefined
            ? { sessionId, after: 0, ...ofCall }
            : { runIds: [run_id], ...ofCall };
        const files = await affectedFiles(tx, scope, command.paths);
        if (!files) {
          const message = "There is nothing to roll back.";
          return outcome("not_active", { session_id: sessionId, message });
        }
        const { runId, event_id } = await insertRollback(tx, {
          session,
          files,
          what: whatOf(command, files),
          scope: {
            ...(run_id === undefined ? { session_id: sessionId } : { run_id }),
            ...(checkpoint_id !== undefined && { checkpoint_id }),
            ...(preview && { preview }),
          },
        });
        await publishQueue(tx, session);
        const about = { run_id: runId, session_id: sessionId, event_id };
        return outcome("accepted", { ...about, message: "The rollback is queued." });
      });
    });
}

export type NewRollback = {
  readonly session: SessionRow;
  readonly files: Affected;
  readonly scope: Omit<RollbackArguments, "paths">;
  readonly what: string; // "the files of run …"
};

export async function insertRollback(tx: Tx, { session, files, scope, what }: NewRollback) {
  const preview = scope.preview === true;
  const words = preview ? `Show what rolling back ${what} would do.` : `Roll back ${what}.`;
  return insertDirect(tx, {
    session,
    tool: "rollback",
    arguments: { ...scope, paths: [...files.paths] },
    words,
    label: preview ? "Preview a rollback" : `Roll back ${count(files)}`,
    workspace: files.workspace,
    effect: !preview,
  });
}

function whatOf({ run_id, checkpoint_id, paths }: Rollback, files: Affected): string {
  const part = paths ? `${count(files)} of` : "the files of";
  if (checkpoint_id !== undefined) return `${part} checkpoint ${checkpoint_id}`;
  return run_id === undefined ? `${part} this session` : `${part} run ${run_id}`;
}

function count({ paths }: Affected): string {
  return paths.length === 1 ? "1 file" : `${paths.length} files`;
}

export const MAY_GROW = "More files may be changed before it is done: stop what is active first.";

/** The files are listed at admission, so a rollback of something active would miss later ones. */
async function mayGrow(tx: Tx, session: SessionRow, { run_id, checkpoint_id }: Rollback) {
  if (run_id !== undefined) return stillGoing(tx, [run_id]);
  if (checkpoint_id !== undefined) return false; // a single call: its files are known
  return maySessionGrow(tx, session);
}

export async function maySessionGrow(tx: Tx, { session_key }: SessionRow): Promise<boolean> {
  const sql = `SELECT 1 FROM logs WHERE session_key = ? AND kind = 'run' AND ended_at IS NULL
    AND direct IS NULL AND quarantined IS NULL LIMIT 1`;
  return (await tx.get(sql, session_key)) !== undefined;
}

async function checkRun(tx: Tx, session: SessionRow, runId: string): Promise<void> {
  const run = await tx.log(runId);
  if (run && run.session_key === session.session_key && run.log_id !== session.session_id) return;
  throw new ApiError("invalid_request", `run_id: the session has no run ${runId}`);
}
