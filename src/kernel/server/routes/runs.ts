// Native API: runs. Commands go to the journal's inbox, reads come from the journal, nothing else.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../journal/journal.ts";
import type { RunRecord } from "../../api/records/records.ts";
import { loadRun } from "../../journal/read/load-run.ts";
import { runsApi } from "../../api/routes/runs.ts";
import { formatCursor } from "../../events/cursor.ts";
import { parse } from "../../events/errors.ts";
import { ClientKey } from "../../events/ids.ts";
import { toSnapshot } from "../../state/run/state.ts";
import { isTerminal } from "../../state/run/status.ts";
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
import { mount } from "../mount.ts";
import { noRun, requireFound } from "./replies.ts";

export function runRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return mount(runsApi, {
    startRun: async ({ body, request: { headers } }) => {
      const key = headers["idempotency-key"];
      const command = { ...(key !== undefined && { message_id: parse(ClientKey, key) }), ...body };
      await requireProfile(deps, command.profile);
      const defaults = await defaultsFor(deps, command.profile);
      return journal.commands.startRun(command, defaults);
    },
    getRun: async ({ params }) => statusOf(journal, await requireRun(params.runId)),
    getSnapshot: async ({ params }) => {
      const { run_id } = await requireRun(params.runId);
      const state = requireFound(await loadRun(journal, run_id), noRun(run_id));
      return { run_id, epoch: journal.epoch, seq: state.seq, state: toSnapshot(state) };
    },
    streamRun: async ({ params, query, request, reply }) => {
      const run = await requireRun(params.runId);
      const head = { logId: run.run_id, epoch: journal.epoch, seq: run.seq };
      const after = cursorOf(request, query, head);
      // Everything was seen: 204 is how an EventSource learns not to come back.
      if (run.ended_at !== null && after === run.seq) return reply.status(204).send();
      if (run.quarantined) await journal.readRun(run.run_id, after, 1); // throws the diagnostic
      return streamEvents(reply, deps.streams, { source: runSource(journal, run.run_id), after });
    },
    cancelRun: async ({ params: { runId }, body }) =>
      requireFound(await journal.commands.cancelRun(runId, body), noRun(runId)),
    respondApproval: async ({ params, body }) => {
      const { runId, requestId: approvalId } = await asked(params);
      const command = { ...body, by: "person" };
      const outcome = await journal.commands.respondApproval({ runId, approvalId }, command);
      return requireFound(outcome, noRequest(approvalId));
    },
    respondClarify: async ({ params, body }) => {
      const { runId, requestId: clarifyId } = await asked(params);
      const command = { ...body, by: "person" };
      const outcome = await journal.commands.respondClarify({ runId, clarifyId }, command);
      return requireFound(outcome, noRequest(clarifyId));
    },
    queueMessage: async ({ params: { runId }, body }) =>
      requireFound(await journal.commands.queueMessage(runId, body), noRun(runId)),
  });

  async function requireRun(runId: string): Promise<RunRecord> {
    return requireFound(await journal.reads.run(runId), noRun(runId));
  }

  /** The run that asked: this one, or one below it. */
  async function asked(params: { readonly runId: string; readonly requestId: string }) {
    const requestId = params.requestId.slice(0, 300);
    const { run_id } = await requireRun(params.runId);
    return { requestId, runId: await askingRun(journal, run_id, requestId) };
  }
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

function noRequest(id: string) {
  return { code: "request_not_found", message: `The run has no request ${id}.` } as const;
}
