// Controls of `/v1/runs`: answer, stop, steer, queue, and set the goal of the session. Each is a command of the
// journal; lateness is reported in this API's codes.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RequestRecord, RunRecord } from "../../kernel/api/records/records.ts";
import type { Outcome } from "../../kernel/events/commands.ts";
import { parse } from "../../kernel/events/errors.ts";
import { SessionId } from "../../kernel/events/ids.ts";
import { approvalChoice, V1Approval, V1Goal, V1Text } from "./wire/bodies.ts";
import { hermesStatus } from "./wire/runs.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { askingRun, pendingOf } from "../../kernel/server/feed/pending-below.ts";
import { V1Error } from "./v1-error.ts";
import { runIdOf, requireRun } from "./require-run.ts";

const BY = "v1";

export function runControls(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.post("/runs/:runId/approval", async (request) =>
      approve(journal, await requireRun(journal, runIdOf(request)), request.body),
    );

    app.post("/runs/:runId/clarifications/:requestId/respond", async (request) => {
      const run = await requireRun(journal, runIdOf(request));
      const { requestId } = request.params as { requestId: string };
      const response = wordsIn(request.body);
      const waiting = await waitingOf(journal, run, ["clarify", "unknown_outcome"]);
      const pending = waiting.find(({ request_id }) => request_id === requestId);
      const ids = { runId: pending?.run_id ?? run.run_id, clarifyId: requestId };
      const outcome = await journal.commands.respondClarify(ids, { response, by: BY });
      if (!outcome) throw new V1Error(404, "request_not_found", "The run has no such question.");
      return controlResult(outcome);
    });

    // Gateway clients read where the run stands; the document's, what became of the wish.
    app.post("/runs/:runId/stop", async (request) => {
      const run = await requireRun(journal, runIdOf(request));
      const outcome = await journal.commands.cancelRun(run.run_id, { reason: `${BY}: stop` });
      const stopping = outcome?.accepted === true;
      const status = stopping ? "stopping" : hermesStatus(run.status);
      return { ...(outcome && controlResult(outcome)), ok: true, run_id: run.run_id, status };
    });

    app.post("/runs/:runId/cancel", async (request) => {
      const run = await requireRun(journal, runIdOf(request));
      const outcome = await journal.commands.cancelRun(run.run_id, { reason: `${BY}: cancel` });
      if (!outcome) throw new V1Error(404, "run_not_found", "The run is gone.");
      return { ...controlResult(outcome), ok: true };
    });

    app.post("/runs/:runId/steer", async (request) => {
      const run = await requireRun(journal, runIdOf(request));
      const message = wordsIn(request.body);
      const outcome = await journal.commands.queueMessage(run.run_id, { message, mode: "steer" });
      if (!outcome?.accepted) {
        const why = outcome?.safe_message ?? "The run is gone.";
        throw new V1Error(409, "run_not_accepting_steer", why);
      }
      return { object: "hermes.run.steer", run_id: run.run_id, accepted: true };
    });

    app.post("/runs/:runId/messages", async (request) => {
      const run = await requireRun(journal, runIdOf(request));
      const message = wordsIn(request.body);
      const { mode } = parse(V1Text, request.body ?? {});
      const command = { message, mode: mode === "steer" ? "steer" : "queue" } as const;
      const outcome = await journal.commands.queueMessage(run.run_id, command);
      if (!outcome) throw new V1Error(404, "run_not_found", "The run is gone.");
      return controlResult(outcome);
    });

    app.post("/sessions/:sessionId/goal", async (request) => {
      const { sessionId } = request.params as { sessionId: string };
      const { action, text } = parse(V1Goal, request.body ?? {});
      const known = SessionId.safeParse(sessionId).success;
      const command = { action, ...(text && { text }) };
      const outcome = known ? await journal.commands.updateGoal(sessionId, command) : undefined;
      if (!outcome) throw new V1Error(404, "session_not_found", "There is no such session.");
      return controlResult(outcome);
    });
  };
}

async function approve(journal: Journal, run: RunRecord, body: unknown): Promise<object> {
  const asked = parse(V1Approval, body ?? {});
  const choice = approvalChoice(asked.choice);
  if (choice === undefined) {
    const message = "Choose once, session, always or deny.";
    throw new V1Error(400, "invalid_approval_choice", message, "choice");
  }
  const waiting = await waitingOf(journal, run, ["approval"]);
  const named = asked.approval_id ?? asked.request_id;
  if (waiting.length === 0 && !named) {
    throw new V1Error(409, "approval_not_active", "The run waits for no approval.");
  }
  const every = asked.all === true || asked.resolve_all === true;
  const chosen = named
    ? [{ run_id: await askingRun(journal, run.run_id, named), request_id: named }]
    : waiting.slice(0, every ? undefined : 1);
  const said = { choice, by: BY, ...(asked.feedback && { feedback: asked.feedback }) };
  const outcomes: Outcome[] = [];
  for (const { run_id, request_id } of chosen) {
    const ids = { runId: run_id, approvalId: request_id };
    const outcome = await journal.commands.respondApproval(ids, said);
    if (outcome) outcomes.push(outcome);
  }
  const last = outcomes.findLast(({ accepted }) => accepted) ?? outcomes.at(-1);
  // The document's clients name it `approval_id` and read a result; gateway clients read the error.
  const wantsResult = typeof asked.approval_id === "string";
  if (!last?.accepted && !wantsResult) {
    throw new V1Error(409, "approval_not_pending", "It was answered already, or is gone.");
  }
  if (!last) throw new V1Error(404, "request_not_found", "The run has no such request.");
  return {
    object: "hermes.run.approval_response",
    ...controlResult(last),
    run_id: run.run_id,
    choice,
    request_id: named ?? chosen[0]?.request_id ?? null,
    resolved: outcomes.filter(({ status }) => status === "accepted").length,
  };
}

async function waitingOf(
  journal: Journal,
  run: RunRecord,
  kinds: readonly string[],
): Promise<RequestRecord[]> {
  return (await pendingOf(journal, run)).filter(({ kind }) => kinds.includes(kind));
}

/** The document's ControlResult, in its words; `message` is what its real client reads. */
function controlResult(outcome: Outcome) {
  const { accepted, status, event_id, safe_message, run_id, session_id, payload } = outcome;
  return {
    ok: accepted,
    accepted,
    status: status === "not_active" ? "not-active" : status,
    event_id,
    safe_message,
    message: safe_message,
    run_id,
    session_id,
    ...(payload !== undefined && { payload }),
  };
}

function wordsIn(body: unknown): string {
  const { input, message, text, response, answer } = parse(V1Text, body ?? {});
  const words = input ?? message ?? text ?? response ?? answer ?? "";
  if (words.trim() === "") throw new V1Error(400, "missing_input", "Say something.", "message");
  return words;
}
