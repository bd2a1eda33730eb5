// The browser's routes of the run contract. They translate; the state of a run is read from the journal for every
// request.
import type { FastifyError, FastifyReply, FastifyRequest, FastifyPluginAsync } from "fastify";
import { toErrorResponse } from "../../kernel/server/error-response.ts";
import type { Room } from "../../kernel/server/room.ts";
import { chatRoutes } from "./chat.ts";
import { requestRoutes } from "./requests.ts";
import { sessionsChangedRoutes } from "./sessions-changed.ts";
import { Busy, started } from "./start.ts";
import { streamRoutes } from "./streams.ts";
import { CONSOLE_COMMANDS } from "../../kernel/dialect/console-commands.ts";
import { EVERYWHERE } from "../../kernel/text/slash-commands.ts";
import { type Outcome, UpdateGoal } from "../../kernel/events/commands.ts";
import { WebuiGoal } from "./wire/bodies.ts";
import { ApiError, parse } from "../../kernel/events/errors.ts";
import { goalSays, goalRequest, type GoalRequest } from "../../kernel/text/goal-request.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { defaultsFor } from "../../kernel/server/defaults.ts";

export const webuiWindow: Room = (deps) => ({
  routes: async (app) => {
    // Its clients read a sentence in `error`; the code beside it is ours.
    const onError = (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      if (error instanceof Busy) return reply.status(409).send(error.body);
      const { code, status, envelope } = toErrorResponse(error);
      if (code === "internal") deps.logError(error);
      return reply.status(status).send({ error: envelope.error.message, code });
    };
    app.setErrorHandler(onError);
    await app.register(chatRoutes(deps), { prefix: "/api/chat" });
    await app.register(streamRoutes(deps), { prefix: "/api" });
    await app.register(requestRoutes(deps), { prefix: "/api" });
    await app.register(goalRoutes(deps), { prefix: "/api" });
    await app.register(commandRoutes(), { prefix: "/api" });
    await app.register(sessionsChangedRoutes(deps), { prefix: "/api" });
  },
  sockets: [],
});

// The commands that work as a message, in the form the browser completes them from.
const NAMES: ReadonlySet<string> = new Set(EVERYWHERE);
const COMMANDS = CONSOLE_COMMANDS.filter(({ name }) => NAMES.has(name));

function commandRoutes(): FastifyPluginAsync {
  return async (app) => {
    app.get("/commands", async () => ({ commands: COMMANDS }));
  };
}

// The standing goal from a browser: typed words, and what became of it. Setting one begins work on it,
// as its clients expect; whether it is met is decided by the runs themselves.
type Goal = { readonly text: string | null; readonly status: string | null };

function goalRoutes(deps: AppDeps): FastifyPluginAsync {
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
