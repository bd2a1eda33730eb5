// A session's title and goal. Goal commands are safe to repeat and never start a run by themselves.
import type { Outcome, UpdateGoal, UpdateTitle } from "../../events/commands.ts";
import { ApiError } from "../../events/errors.ts";
import type { Draft } from "../../events/events.ts";
import { once, outcome } from "./idempotency.ts";
import { findSession } from "./new-session.ts";
import type { Transact, Tx } from "../transaction.ts";
import { nullable, oneOf, rowsOf, text, type RowOf } from "../rows.ts";

export function updateTitle(transact: Transact) {
  return (sessionId: string, { title }: UpdateTitle): Promise<Outcome | undefined> =>
    transact(sessionId, async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) return undefined;
      const draft: Draft = { type: "title.updated", payload: { title, source: "user" } };
      const event_id = await tx.append(sessionId, [draft]);
      return outcome("accepted", { session_id: sessionId, event_id, message: "Renamed." });
    });
}

const Goal = rowsOf("sessions", {
  goal_text: nullable(text),
  goal_status: nullable(oneOf(["active", "paused"])),
});
type Goal = RowOf<typeof Goal>;

export function updateGoal(transact: Transact) {
  return (sessionId: string, command: UpdateGoal): Promise<Outcome | undefined> =>
    transact(sessionId, async (tx) => {
      const sql = "SELECT goal_text, goal_status FROM sessions WHERE session_id = ?";
      const goal = await Goal.get(tx, sql, sessionId);
      if (!goal) return undefined;
      const keyed = { scope: `goal:${sessionId}`, key: command.command_id, command };
      return once(tx, keyed, () => changeGoal(tx, sessionId, goal, command));
    });
}

async function changeGoal(
  tx: Tx,
  sessionId: string,
  goal: Goal,
  { action, text }: UpdateGoal,
): Promise<Outcome> {
  const about = { session_id: sessionId };
  const now = { text: goal.goal_text, status: goal.goal_status };
  if (action === "status") {
    return {
      ...outcome("accepted", { ...about, message: "The goal as it stands." }),
      payload: now,
    };
  }
  const next = nextGoal(now, action, text);
  if (!next) return outcome("not_active", { ...about, message: "There is no goal to change." });
  if (next.status === now.status && next.text === now.text) {
    return { ...outcome("duplicate", { ...about, message: "It is so already." }), payload: now };
  }
  const event_id = await tx.append(sessionId, [
    { type: "goal.updated", payload: { action, ...next } },
  ]);
  return {
    ...outcome("accepted", { ...about, event_id, message: "Goal updated." }),
    payload: next,
  };
}

function nextGoal(
  goal: { text: string | null; status: string | null },
  action: "set" | "edit" | "pause" | "resume" | "clear",
  text: string | undefined,
): { text: string | null; status: "active" | "paused" | "cleared" } | undefined {
  if (action === "set" || action === "edit") {
    if (text === undefined)
      throw new ApiError("invalid_request", `text: needed to ${action} a goal`);
    if (action === "edit" && goal.text === null) return undefined;
    return { text, status: "active" };
  }
  if (goal.text === null) return undefined;
  const status = { pause: "paused", resume: "active", clear: "cleared" } as const;
  return { text: action === "clear" ? null : goal.text, status: status[action] };
}
