// A session's settings: model, profile, workspace, project, rules, yolo, whether and where it is listed, and which ended
// runs were dismissed. A change is one event that names only what really changed.
import type { Outcome, UpdateSession } from "../../events/commands.ts";
import type { PayloadOf } from "../../events/events.ts";
import { appendToSystemLog } from "../system-log/system-log.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession } from "./new-session.ts";
import { requireProject } from "../projects/projects.ts";
import { openRuns, publishQueue } from "./queue.ts";
import { cancel } from "./run-commands.ts";
import type { Transact, Tx } from "../transaction.ts";
import { flag, json, nullable, rowsOf, text } from "../rows.ts";

type Settings = Omit<Required<PayloadOf<"session.updated">>, "dismissed_run_id" | "skills">;

export function updateSession(transact: Transact) {
  return (sessionId: string, command: UpdateSession): Promise<Outcome | undefined> =>
    transact(sessionId, async (tx) => {
      const now = await settingsOf(tx, sessionId);
      if (!now) return undefined;
      const { command_id: key, ...wanted } = command;
      return once(tx, { scope: `settings:${sessionId}`, key, command }, async () => {
        if (wanted.project_id) await requireProject(tx, wanted.project_id);
        const about = { session_id: sessionId };
        const seen = await seenBefore(tx, sessionId, wanted.dismissed_run_id);
        if (typeof seen === "string") return outcome("conflict", { ...about, message: seen });
        if (seen) delete wanted.dismissed_run_id;
        const payload = Object.fromEntries(
          Object.entries(wanted).filter(
            ([name, value]) => !same(value, now[name as keyof Settings]),
          ),
        ) as PayloadOf<"session.updated">;
        if (Object.keys(payload).length === 0) {
          return outcome("duplicate", { ...about, message: "It is so already." });
        }
        if (payload.deleted) await stopAll(tx, sessionId);
        const event_id = await tx.append(sessionId, [{ type: "session.updated", payload }]);
        await noteSafety(tx, sessionId, payload);
        return outcome("accepted", { ...about, event_id, message: "Changed." });
      });
    });
}

/** Changes of yolo and rules are also recorded in the system log. */
async function noteSafety(tx: Tx, subject: string, payload: PayloadOf<"session.updated">) {
  const changed = ["yolo", "permissions"].filter((name) => Object.hasOwn(payload, name));
  if (changed.length === 0) return;
  const noted = { by: "person", section: "session", subject, changed };
  await appendToSystemLog(tx, [{ type: "settings.changed", payload: noted }]);
}

const SETTINGS = rowsOf("sessions", {
  model: text,
  workspace: text,
  profile: text,
  project_id: nullable(text),
  yolo: flag,
  permissions: json<Settings["permissions"]>(),
  deleted: flag,
  pinned: flag,
});

async function settingsOf(tx: Tx, sessionId: string): Promise<Settings | undefined> {
  const sql = `SELECT model, workspace, profile, project_id, yolo, permissions, deleted, pinned
    FROM sessions
    WHERE session_id = ?`;
  return SETTINGS.get(tx, sql, sessionId);
}

/** Whether the run was already dismissed; a text says why it cannot be. */
async function seenBefore(tx: Tx, sessionId: string, runId: string | undefined) {
  if (runId === undefined) return false;
  const sql = `SELECT l.dismissed, l.ended_at, l.parent_run_id FROM logs l JOIN sessions s USING (session_key)
    WHERE l.log_id = ? AND l.kind = 'run' AND s.session_id = ?`;
  const run = await tx.get(sql, runId, sessionId);
  if (!run) return "There is no such run in this session.";
  if (run["parent_run_id"] !== null) return "A subagent is dismissed with the run it belongs to.";
  if (run["ended_at"] === null) return "The run has not ended: stop it first.";
  return run["dismissed"] === 1;
}

/** A deleted session must have no active run. Waiting runs end before the run that they wait for. */
async function stopAll(tx: Tx, sessionId: string): Promise<void> {
  const session = await findSession(tx, sessionId);
  if (!session) return;
  for (const { log_id } of (await openRuns(tx, session.session_key)).toReversed()) {
    const run = await tx.log(log_id);
    if (!run || run.status === "cancelling") continue;
    await cancel(tx, run, { reason: "the session was deleted", quiet: true });
  }
  await publishQueue(tx, session, { shrunk: true });
}

function same(a: unknown, b: unknown): boolean {
  return a === undefined || JSON.stringify(a) === JSON.stringify(b);
}
