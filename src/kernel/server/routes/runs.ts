// Native API: runs. Commands go to the journal's inbox, reads come from the journal, nothing else.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../journal/journal.ts";
import type { RunRecord } from "../../api/records/records.ts";
import { loadRun } from "../../journal/read/load-run.ts";
import {
  CancelRun,
  QueueMessage,
  RespondApproval,
  RespondClarify,
  StartRun,
} from "../../events/commands.ts";
import { formatCursor } from "../../events/cursor.ts";
import { ApiError, parse } from "../../events/errors.ts";
import { ClientKey } from "../../events/ids.ts";
import { toSnapshot } from "../../state/run/run-state.ts";
import { isTerminal } from "../../state/run/run-status.ts";
import type { AppDeps } from "../app.ts";
import { defaultsFor } from "../defaults.ts";
import { requireProfile } from "../require-context.ts";
import {
  activeControls,
  askingRun,
  isApproval,
  isQuestion,
  pendingOf,
} from "../feed/pending-below.ts";
import { runSource } from "../feed/sources.ts";
import { streamEvents } from "../feed/sse.ts";
import { cursorOf } from "./cursor.ts";
import { data, noRun, runIdOf, sendOutcome } from "./replies.ts";

export function runRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.post("/", async ({ body, headers }, reply) => {
      const key = headers["idempotency-key"];
      const keyed = key === undefined ? {} : { message_id: parse(ClientKey, key) };
      const command = parse(StartRun, { ...keyed, ...(body as object) });
      await requireProfile(deps, command.profile);
      const outcome = await journal.commands.startRun(
        command,
        await defaultsFor(deps, command.profile),
      );
      return sendOutcome(reply, outcome, noRun(""));
    });

    app.get("/:runId", async ({ params }) =>
      data(await statusOf(journal, await find(journal, params))),
    );

    app.get("/:runId/snapshot", async ({ params }) => {
      const { run_id } = await find(journal, params);
      const state = await loadRun(journal, run_id);
      if (!state) throw new ApiError("run_not_found", noRun(run_id).message);
      return data({ run_id, epoch: journal.epoch, seq: state.seq, state: toSnapshot(state) });
    });

    app.get("/:runId/events", async (request, reply) => {
      const run = await find(journal, request.params);
      const head = { logId: run.run_id, epoch: journal.epoch, seq: run.seq };
      const after = cursorOf(request, head);
      // Everything was seen: 204 is how an EventSource learns not to come back.
      if (run.ended_at !== null && after === run.seq) return reply.status(204).send();
      if (run.quarantined) await journal.readRun(run.run_id, after, 1); // throws the diagnostic
      return streamEvents(reply, deps.streams, { source: runSource(journal, run.run_id), after });
    });

    app.post("/:runId/cancel", async ({ params, body }, reply) => {
      const runId = runIdOf(params);
      const outcome = await journal.commands.cancelRun(runId, parse(CancelRun, body ?? {}));
      return sendOutcome(reply, outcome, noRun(runId));
    });

    app.post("/:runId/approvals/:requestId", async ({ params, body }, reply) => {
      const approvalId = requestIdOf(params);
      const { run_id } = await find(journal, params);
      const runId = await askingRun(journal, run_id, approvalId);
      const command = { ...parse(RespondApproval, body ?? {}), by: "person" };
      const outcome = await journal.commands.respondApproval({ runId, approvalId }, command);
      return sendOutcome(reply, outcome, noRequest(approvalId));
    });

    app.post("/:runId/clarifications/:requestId", async ({ params, body }, reply) => {
      const clarifyId = requestIdOf(params);
      const { run_id } = await find(journal, params);
      const runId = await askingRun(journal, run_id, clarifyId);
      const command = { ...parse(RespondClarify, body ?? {}), by: "person" };
      const outcome = await journal.commands.respondClarify({ runId, clarifyId }, command);
      return sendOutcome(reply, outcome, noRequest(clarifyId));
    });

    app.post("/:runId/messages", async ({ params, body }, reply) => {
      const runId = runIdOf(params);
      const outcome = await journal.commands.queueMessage(runId, parse(QueueMessage, body ?? {}));
      return sendOutcome(reply, outcome, noRun(runId));
    });
  };
}

async function find(journal: Journal, params: unknown): Promise<RunRecord> {
  const runId = runIdOf(params);
  const run = await journal.reads.run(runId);
  if (!run) throw new ApiError("run_not_found", noRun(runId).message);
  return run;
}

/** The reconnect metadata of the run contract. */
async function statusOf(journal: Journal, run: RunRecord) {
  const pending = await pendingOf(journal, run);
  const ended = isTerminal(run.status) ? await loadRun(journal, run.run_id) : undefined;
  const session = await journal.reads.session(run.session_id);
  return {
    ...run,
    epoch: journal.epoch,
    last_event_id: run.seq === 0 ? null : formatCursor(run.run_id, run.seq),
    terminal_state: isTerminal(run.status) ? run.status : null,
    result: ended?.result ?? null,
    error: ended?.error ?? null,
    usage: ended?.usage ?? null,
    active_controls: activeControls(run, pending),
    pending_approval_id: pending.find(isApproval)?.request_id ?? null,
    pending_clarify_id: pending.find(isQuestion)?.request_id ?? null,
    pending,
    active_run_id: session?.active_run_id ?? null,
  };
}

function requestIdOf(params: unknown): string {
  return (params as { requestId: string }).requestId.slice(0, 300);
}

function noRequest(id: string) {
  return { code: "request_not_found", message: `The run has no request ${id}.` } as const;
}
