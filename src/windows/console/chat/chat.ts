// Talking to an agent through the console's API. Every route is a command of the journal or a reading of it.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { CancelRun } from "../../../kernel/events/commands.ts";
import { ConsoleTarget } from "../wire/bodies.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { compress } from "./compress.ts";
import { retry, undo } from "./rewind.ts";
import { showBackgrounds, showRun, requireRunOf } from "./runs.ts";
import { background, btw, send } from "./start.ts";
import { both, ConsoleError, keyOf, take } from "../envelopes.ts";

export function chatPages(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.post("/chat/send", (request) => send(deps, request));
    app.post("/chat/background", (request) => background(deps, request));
    app.post("/chat/btw", (request) => btw(deps, request));
    app.post("/chat/stop", (request) => stop(journal, request));
    app.post("/chat/retry", (request) => retry(journal, request));
    app.post("/chat/undo", (request) => undo(journal, request));
    app.post("/chat/compress", (request, reply) => compress(journal, request, reply));
    app.get("/chat/backgrounds", (request) => showBackgrounds(journal, request));
    app.get("/chat/run/:runId", (request) => showRun(journal, request));
  };
}

async function stop(journal: Journal, request: FastifyRequest) {
  const asked = take(ConsoleTarget, request.body);
  const key = keyOf(asked, request);
  const outcome = await stopped(journal, asked, key === undefined ? {} : { command_id: key });
  const { run_id } = outcome;
  const stop_requested = outcome.accepted && run_id !== null;
  const status = stop_requested ? "stopping" : "not_active";
  const about = { supported: true, action: "stop", run_id, session_id: outcome.session_id };
  return both({ ...about, status, stop_requested });
}

async function stopped(journal: Journal, asked: ConsoleTarget, command: CancelRun) {
  const session_id = asked.session_id ?? null;
  if (asked.run_id) {
    const run = await requireRunOf(journal, { run_id: asked.run_id, session_id });
    const outcome = await journal.commands.cancelRun(run.run_id, command);
    if (outcome) return outcome;
  }
  const outcome = await journal.commands.stopActive(session_id ?? "", command);
  if (outcome) return outcome;
  const message = `There is no session ${session_id}.`;
  throw new ConsoleError("session_not_found", message, { session_id });
}
