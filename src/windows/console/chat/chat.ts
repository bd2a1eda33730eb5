// The console's chat routes. Each is a command of the journal or a read of it.
import type { FastifyPluginAsync, FastifyRequest, FastifyReply } from "fastify";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { CancelRun } from "../../../kernel/events/commands.ts";
import { ConsoleTarget, ConsoleCompress } from "../wire/bodies.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { retry, undo } from "./rewind.ts";
import { showBackgrounds, showRun, requireRunOf } from "./runs.ts";
import { background, btw, send } from "./start.ts";
import { both, ConsoleError, keyOf, take } from "../envelopes.ts";
import type { RunRecord } from "../../../kernel/api/records/records.ts";
import { historyOf } from "../sessions/session-history.ts";
import { backwards } from "../stream/backwards.ts";
import { runEnd } from "../wait-for-run.ts";
import { abortOnDisconnect } from "../../../kernel/server/disconnect.ts";

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

// Compressing a conversation. The console wants the result in the answer; it is a run like any other, so
// the answer waits for its end, for a while, and otherwise names the run.
const WAIT_S = 20;

async function compress(journal: Journal, request: FastifyRequest, reply: FastifyReply) {
  const asked = take(ConsoleCompress, request.body);
  const { session_id, focus_topic = null, wait_s = WAIT_S } = asked;
  const key = keyOf(asked, request);
  const outcome = await journal.commands.compress(session_id, {
    ...(focus_topic && { focus: focus_topic }),
    ...(key !== undefined && { command_id: key }),
  });
  if (!outcome) {
    const message = `There is no session ${session_id}.`;
    throw new ConsoleError("session_not_found", message, { session_id });
  }
  const about = { session_id, run_id: outcome.run_id, focus_topic };
  if (!outcome.accepted || outcome.run_id === null) {
    const reason = "not_enough_messages";
    return both({ ...about, compressed: false, reason, message: outcome.safe_message });
  }
  const waiting = { waitMs: wait_s * 1_000, gone: abortOnDisconnect(reply) };
  const run = await runEnd(journal, outcome.run_id, waiting);
  if (!run) return both({ ...about, compressed: false, reason: "running", status: "started" });
  return both({ ...about, status: run.status, ...(await resultOf(journal, run)) });
}

async function resultOf(journal: Journal, { run_id, session_id, status }: RunRecord) {
  for await (const { type, payload } of backwards(journal, run_id)) {
    if (type !== "compaction" || payload.phase !== "completed") continue;
    const { original_tokens, compacted_tokens, summary } = payload;
    const session = await journal.reads.sessionSummary(session_id);
    const past = session ? await historyOf(journal, session, Infinity) : [];
    // Its client says "compressed from … to … messages". The summary stands for all of them.
    const lengths = { original_length: past.length, new_length: 1, unit: "messages" };
    return { compressed: true, ...lengths, original_tokens, compacted_tokens, summary };
  }
  return { compressed: false, reason: status };
}
