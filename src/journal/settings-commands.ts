// A session's settings: its model, profile, workspace, project, rules, whether it asks at all, and whether
// it is listed. A change is one event that names only what really changed.
import type { Outcome, UpdateSession } from "../protocol/commands.ts";
import type { PayloadOf } from "../protocol/events.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession } from "./new-session.ts";
import { wantProject } from "./projects.ts";
import { openRuns, publishQueue } from "./queue.ts";
import { cancel } from "./run-commands.ts";
import type { Transact, Tx } from "./transaction.ts";

type Settings = Required<PayloadOf<"session.updated">>;

export function updateSession(transact: Transact) {
  return (sessionId: string, command: UpdateSession): Promise<Outcome | undefined> =>
    transact(async (tx) => {
      const now = await settingsOf(tx, sessionId);
      if (!now) return undefined;
      const { command_id: key, ...wanted } = command;
      return once(tx, { scope: `settings:${sessionId}`, key, command }, async () => {
        if (wanted.project_id) await wantProject(tx, wanted.project_id);
        const payload = Object.fromEntries(
          Object.entries(wanted).filter(
            ([name, value]) => !same(value, now[name as keyof Settings]),
          ),
        ) as PayloadOf<"session.updated">;
        const about = { session_id: sessionId };
        if (Object.keys(payload).length === 0) {
          return outcome("duplicate", { ...about, message: "It is so already." });
        }
        if (payload.deleted) await stopAll(tx, sessionId);
        const event_id = await tx.append(sessionId, [{ type: "session.updated", payload }]);
        return outcome("accepted", { ...about, event_id, message: "Changed." });
      });
    });
}

async function settingsOf(tx: Tx, sessionId: string): Promise<Settings | undefined> {
  const sql = `SELECT model, workspace, profile, project_id, yolo, permissions, deleted
    FROM sessions
    WHERE session_id = ?`;
  const row = await tx.get(sql, sessionId);
  if (!row) return undefined;
  const permissions = JSON.parse(row["permissions"] as string) as Settings["permissions"];
  const [yolo, deleted] = [row["yolo"] === 1, row["deleted"] === 1];
  return { ...row, permissions, yolo, deleted } as Settings;
}

/** Nothing may go on where nobody looks any more. What waits ends before what it waits for. */
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
