// The standing goal from a browser: typed words, and what became of it. Setting one begins work on it,
// as its clients expect; whether it is met is decided by the runs themselves.
import type { FastifyPluginAsync } from "fastify";
import type { Outcome } from "../../kernel/events/commands.ts";
import { UpdateGoal } from "../../kernel/events/commands.ts";
import { WebuiGoal } from "./wire/bodies.ts";
import { ApiError, parse } from "../../kernel/events/errors.ts";
import { goalSays, goalRequest, type GoalRequest } from "../../kernel/text/goal-request.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { defaultsFor } from "../../kernel/server/defaults.ts";
import { started } from "./start.ts";

type Goal = { readonly text: string | null; readonly status: string | null };

export function goalRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.post("/goal", async ({ body }) => {
      const asked = parse(WebuiGoal, body ?? {});
      const request = goalRequest(asked);
      const { session_id } = asked;
      const outcome = await journal.commands.updateGoal(session_id, parse(UpdateGoal, request));
      if (!outcome) throw new ApiError("session_not_found", "Session not found.");
      const emitted = answer(request, outcome);
      const begin = request.action === "set" && outcome.status === "accepted";
      if (!begin || asked.kickoff === false || request.text === undefined) return emitted;
      return { ...emitted, ...(await kickOff(session_id, request.text)) };
    });
  };

  /** Only when nothing runs: a run that goes on is judged by the new goal at its end. */
  async function kickOff(session_id: string, message: string) {
    const session = await journal.reads.session(session_id);
    if (!session || session.active_run_id !== null) return {};
    const command = { session_id, message, source: "goal" };
    const outcome = await journal.commands.startRun(
      command,
      await defaultsFor(deps, session.profile),
    );
    if (!outcome.accepted) return {};
    return { kickoff_prompt: message, ...(await started(journal, outcome)) };
  }
}

function answer({ action }: GoalRequest, outcome: Outcome) {
  const now = (outcome.payload ?? { text: null, status: null }) as Goal;
  const goal = now.text === null ? null : { goal: now.text, status: now.status };
  const message = goalSays(action, now.text);
  if (outcome.accepted) return { ok: true, action, message, goal };
  return { ok: false, action, message: outcome.safe_message, goal, error: "no_goal" };
}
