// Talking to an agent through the console's API. Every route is a command of the journal or a reading of it.
import type { FastifyPluginAsync, FastifyRequest } from "fastify";
import type { Journal } from "../../../journal/journal.ts";
import { ConsoleTarget } from "../../../protocol/dialects/console-bodies.ts";
import type { AppDeps } from "../../app.ts";
import { compress } from "./chat-compress.ts";
import { retry, undo } from "./chat-rewind.ts";
import { showBackgrounds, showRun, wantRunOf } from "./chat-runs.ts";
import { background, btw, send } from "./chat-start.ts";
import { both, ConsoleError, keyOf, take } from "./envelopes.ts";

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
  const run_id = asked.run_id ?? (await activeRun(journal, asked.session_id ?? ""));
  const session_id = asked.session_id ?? null;
  const about = { supported: true, action: "stop" };
  if (run_id === null) {
    return both({ ...about, run_id, session_id, status: "not_active", stop_requested: false });
  }
  const key = keyOf(asked, request);
  const run = await wantRunOf(journal, { run_id, session_id });
  const outcome = await journal.cancelRun(run_id, key === undefined ? {} : { command_id: key });
  const stop_requested = outcome?.accepted === true;
  const status = stop_requested ? "stopping" : "not_active";
  return both({ ...about, run_id, session_id: run.session_id, status, stop_requested });
}

async function activeRun(journal: Journal, session_id: string): Promise<string | null> {
  const session = await journal.session(session_id);
  if (session) return session.active_run_id;
  throw new ConsoleError("session_not_found", `There is no session ${session_id}.`, {
    session_id,
  });
}
