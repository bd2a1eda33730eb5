// A branch is a new session whose history ends at an event of another session. Nothing is copied: the history is read
// from the parent.
import type { Branch, Outcome } from "../../events/commands.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import { ApiError } from "../../events/errors.ts";
import { affectedFiles } from "./affected-files.ts";
import { conversation, isExchange } from "../read/conversation.ts";
import { insertRollback, MAY_GROW, maySessionGrow } from "./file-commands.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession, insertSession, type SessionRow } from "./new-session.ts";
import type { Transact, Tx } from "../transaction.ts";
import { integer, json, nullable, rowsOf } from "../rows.ts";

export function branch(transact: Transact) {
  return (sessionId: string, command: Branch): Promise<Outcome | undefined> =>
    transact(sessionId, async (tx) => {
      const parent = await findSession(tx, sessionId);
      if (!parent) return undefined;
      const keyed = { scope: `branch:${sessionId}`, key: command.command_id, command };
      return once(tx, keyed, async () => {
        const point = await pointOf(tx, parent, command);
        if (!point) {
          const message = "There is nothing to branch from yet.";
          return outcome("not_active", { session_id: sessionId, message });
        }
        const known = command.session_id && (await branchNamed(tx, command.session_id, point));
        if (known) return known;
        if (command.files && (await maySessionGrow(tx, parent))) {
          return outcome("conflict", { session_id: sessionId, message: MAY_GROW });
        }
        return insertBranch(tx, { parent, point, command });
      });
    });
}

type Point = { run_id: string; seq: number; session_seq: number };

/** The default is the end of the newest exchange; an event of an active run is allowed too. */
async function pointOf(tx: Tx, parent: SessionRow, wanted: Branch): Promise<Point | undefined> {
  const runs = (await conversation(tx, parent.session_key)).filter(isExchange);
  const newest = runs.findLast(({ ended_at }) => ended_at !== null) ?? runs.at(-1);
  const runId = wanted.run_id ?? newest?.log_id;
  if (runId === undefined) return undefined;
  const sql = `SELECT log_key, seq FROM logs WHERE log_id = ? AND session_key = ? AND kind = 'run'
    AND parent_run_id IS NULL`;
  const run = await RUN.get(tx, sql, runId, parent.session_key);
  if (!run) {
    throw new ApiError("invalid_request", `run_id: the conversation has no run ${runId}`);
  }
  const seq = wanted.seq ?? run.seq;
  const at = "SELECT session_seq FROM events WHERE log_key = ? AND seq = ?";
  const event = await EVENT.get(tx, at, run.log_key, seq);
  if (!event) throw new ApiError("invalid_request", `seq: run ${runId} ends before ${seq}`);
  return { run_id: runId, seq, session_seq: event.session_seq };
}

const RUN = rowsOf("logs", { log_key: integer, seq: integer });
const EVENT = rowsOf("events", { session_seq: integer });
const ORIGIN = rowsOf("sessions", { branched_from: nullable(json<Partial<Point>>()) });
const RULES = rowsOf("sessions", { permissions: json<Rule[]>() });

async function branchNamed(tx: Tx, sessionId: string, { run_id, seq }: Point) {
  const sql = "SELECT branched_from FROM sessions WHERE session_id = ?";
  const row = await ORIGIN.get(tx, sql, sessionId);
  if (!row) return undefined;
  const from = row.branched_from ?? {};
  const same = from.run_id === run_id && from.seq === seq;
  const message = same ? "The branch exists already." : "There is another session of that id.";
  return outcome(same ? "duplicate" : "conflict", { session_id: sessionId, message });
}

type NewBranch = { parent: SessionRow; point: Point; command: Branch };

async function insertBranch(tx: Tx, { parent, point, command }: NewBranch): Promise<Outcome> {
  const { session_id: parentId, model, workspace, profile, project_id } = parent;
  const { run_id, seq } = point;
  const files = command.files
    ? await affectedFiles(tx, { sessionId: parentId, after: point.session_seq })
    : undefined;
  const title = `Branch of ${parent.title || "an untitled session"}`.slice(0, 500);
  const session = await insertSession(tx, {
    session_id: command.session_id,
    title: command.title ?? title,
    source: "branch",
    model,
    workspace,
    profile,
    project_id,
    parent_session_id: parentId,
    branched_from: { session_id: parentId, run_id, seq },
  });
  await keepRefusals(tx, parent, session);
  const about = { session_id: session.session_id, event_id: `${session.session_id}:1` };
  const accepted = outcome("accepted", { ...about, message: "The branch is open." });
  if (!files) return { ...accepted, payload: { run_id, seq, rollback_run_id: null } };
  const { runId } = await insertRollback(tx, {
    session,
    files,
    what: `the files of session ${parentId} to where this branch begins`,
    scope: { session_id: parentId, after_session_seq: point.session_seq },
  });
  return { ...accepted, run_id: runId, payload: { run_id, seq, rollback_run_id: runId } };
}

/** A branch keeps the rules that deny; what was allowed is asked again. */
async function keepRefusals(tx: Tx, parent: SessionRow, session: SessionRow): Promise<void> {
  const sql = "SELECT permissions FROM sessions WHERE session_key = ?";
  const rules = (await RULES.get(tx, sql, parent.session_key))?.permissions ?? [];
  const permissions = rules.filter(({ effect }) => effect !== "allow");
  if (permissions.length === 0) return;
  await tx.append(session.session_id, [{ type: "session.updated", payload: { permissions } }]);
}
