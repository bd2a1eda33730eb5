// A run's status for both kinds of client of `/v1/runs`: one reads `status` and `output`, the other the
// controls. What a subagent waits for counts as its run's: nobody else would answer it.
import type { Journal } from "../../kernel/journal/journal.ts";
import { loadRun } from "../../kernel/journal/read/load-run.ts";
import type { RequestRecord, RunRecord } from "../../kernel/api/records/records.ts";
import { keptIn } from "./wire/responses/object.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import { hermesStatus, v1RunsDialect } from "./wire/runs.ts";
import { windowId } from "../../kernel/dialect/window-id.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { isTerminal } from "../../kernel/state/run/run-status.ts";
import {
  activeControls,
  isApproval,
  isQuestion,
  pendingOf,
} from "../../kernel/server/feed/pending-below.ts";

type Pending = readonly RequestRecord[];

export async function runView(journal: Journal, run: RunRecord): Promise<object> {
  const state = await loadRun(journal, run.run_id);
  const pending = await pendingOf(journal, run);
  const approval = pending.find(isApproval);
  const usage = state?.usage;
  const lifecycle = statusOf(run, pending);
  const isDocuments = keptIn(state?.metadata).words === "document";
  return {
    object: "hermes.run",
    run_id: run.run_id,
    session_id: run.session_id,
    status: isDocuments ? lifecycle : hermesStatus(lifecycle),
    lifecycle, // always in the document's words
    created_at: run.created_at,
    updated_at: run.updated_at,
    model: run.model,
    ...(await newestOf(journal, run)),
    output: state?.result ?? null,
    usage: usage && {
      input_tokens: usage.input_tokens ?? 0,
      output_tokens: usage.output_tokens ?? 0,
      total_tokens: usage.total_tokens ?? 0,
    },
    error: state?.error?.message ?? null,
    approval: approval && {
      request_id: approval.request_id,
      title: approval.title,
      prompt: approval.prompt,
      choices: approval.choices,
    },
    pending,
    terminal_state: isTerminal(run.status) ? run.status : null,
    active_controls: activeControls(run, pending),
    pending_approval_id: approval?.request_id ?? null,
    pending_clarify_id: pending.find(isQuestion)?.request_id ?? null,
  };
}

/** A subagent that waits makes its run wait. */
function statusOf({ status }: RunRecord, pending: Pending): string {
  if (status !== "running" || pending.length === 0) return status;
  return pending.some(isApproval) ? "awaiting_approval" : "awaiting_clarify";
}

/**
 * The run's newest event in this API's words, and the highest number that its stream may have told: a run's
 * stream tells its subagents' requests too, so while it goes on that is the session's newest.
 */
async function newestOf(journal: Journal, run: RunRecord) {
  const newest = (await journal.readRun(run.run_id, run.seq - 1, 1))?.rows[0];
  if (!newest) return { last_event: null, last_event_id: null };
  const event = JSON.parse(newest[2]) as RunEvent;
  const [frame] = encode(v1RunsDialect, event, v1RunsDialect.begin(), { replay: true });
  const session = isTerminal(run.status) ? undefined : await journal.reads.session(run.session_id);
  return {
    last_event: frame ? v1RunsDialect.kind(frame) : event.type,
    last_event_id: windowId(run.run_id, session?.seq ?? newest[1]),
  };
}
