// A run as the console reads it, and the list of background runs.
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { loadRun } from "../../../kernel/journal/read/load-run.ts";
import type { RequestRecord, RunRecord } from "../../../kernel/api/records/records.ts";
import { consoleUsage } from "../wire/runs.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { RunId } from "../../../kernel/events/ids.ts";
import type { RunState } from "../../../kernel/state/run/state.ts";
import { isTerminal, type RunStatus } from "../../../kernel/state/run/status.ts";
import { get } from "../../../kernel/state/vector.ts";
import { both, ConsoleError, take } from "../envelopes.ts";
import { modelNames } from "../models.ts";

/** Clients know five. The exact one is told as `state`. */
const STATUS: Record<RunStatus, "started" | "running" | "completed" | "failed" | "cancelled"> = {
  queued: "started",
  running: "running",
  awaiting_approval: "running",
  awaiting_clarify: "running",
  paused: "running",
  cancelling: "running",
  cancelled: "cancelled",
  failed: "failed",
  completed: "completed",
  expired: "failed",
};

const RunParams = z.object({ run_id: RunId });
const Limit = z.object({
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .default("50"),
});
const MAX_BACKGROUNDS = 100;

export async function showRun(journal: Journal, { params }: FastifyRequest) {
  const { run_id } = take(RunParams, { run_id: (params as { runId: string }).runId });
  const run = await requireRun(journal, run_id);
  return both({ run: await runView(journal, run) });
}

/** The run that each background session was opened for, the newest session first. */
export async function showBackgrounds(journal: Journal, { query }: FastifyRequest) {
  const { limit } = take(Limit, query);
  const page = { limit: Math.min(Number(limit), MAX_BACKGROUNDS), offset: 0 };
  const { sessions } = await journal.reads.sessionSummaries({ source: "background", ...page });
  const background_runs = [];
  for (const { session_id } of sessions) {
    const [first] = await journal.reads.runsOf(session_id);
    if (first?.quarantined === null) background_runs.push(await runView(journal, first));
  }
  background_runs.sort((a, b) => b.created_at - a.created_at);
  return both({ background_runs });
}

export async function requireRun(journal: Journal, run_id: string): Promise<RunRecord> {
  const run = await journal.reads.run(run_id);
  if (run) return run;
  throw new ConsoleError("run_not_found", `There is no run ${run_id}.`, { run_id });
}

type Named = { readonly run_id: string; readonly session_id?: string | null | undefined };

/** Of whoever names a session too: a run of another one is not what they mean. */
export async function requireRunOf(journal: Journal, { run_id, session_id }: Named) {
  const run = await requireRun(journal, run_id);
  if (!session_id || session_id === run.session_id) return run;
  const message = `Session ${session_id} has no run ${run_id}.`;
  throw new ConsoleError("run_not_found", message, { run_id, session_id });
}

/** What the run was asked, as it was last edited, and all of it. */
export function promptOf(state: RunState): string {
  const item = get(state.items, 0);
  return item?.kind === "user" ? item.text : "";
}

async function runView(journal: Journal, run: RunRecord) {
  const state = await loadRun(journal, run.run_id);
  const ended = isTerminal(run.status);
  const pending = await waitingIn(journal, run);
  const { prompt_tokens, completion_tokens, total_tokens } = consoleUsage(state?.usage ?? NO_USAGE);
  return {
    session_id: run.session_id,
    run_id: run.run_id,
    prompt: (state && promptOf(state)) || run.prompt,
    status: STATUS[run.status],
    state: stateOf(run, pending),
    ...modelNames(run.model),
    created_at: run.created_at,
    updated_at: run.updated_at,
    ended_at: run.ended_at,
    observed: true,
    completed: run.status === "completed",
    final_response: ended ? (state?.result ?? "") : null,
    prompt_tokens,
    completion_tokens,
    total_tokens,
    ...failureOf(run, state),
    source_run_id: await sourceOf(journal, run),
    parent_run_id: run.parent_run_id,
    pending: pending.map(({ request_id }) => request_id),
  };
}

/** What waits in the run and in its subagents, theirs too: a child's id begins with its parent's. */
async function waitingIn(journal: Journal, { session_id, run_id }: RunRecord) {
  const waiting = await journal.reads.pending({ sessionId: session_id });
  return waiting.filter((each) => each.run_id === run_id || each.run_id.startsWith(`${run_id}.`));
}

/** A run whose subagent waits for a person runs on, but nothing happens in it until somebody answers. */
function stateOf({ status }: RunRecord, [first]: readonly RequestRecord[]): RunStatus {
  if (status !== "running" || !first) return status;
  return first.kind === "approval" ? "awaiting_approval" : "awaiting_clarify";
}

const NO_USAGE = {
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  reasoning_tokens: null,
  cached_tokens: null,
  cost_usd: null,
};

function failureOf({ status }: RunRecord, state: RunState | undefined) {
  if (status === "cancelled") return { error: "The run was stopped.", error_type: "cancelled" };
  if (status !== "failed" && status !== "expired") return { error: null, error_type: null };
  const { code, message } = state?.error ?? { code: status, message: `The run has ${status}.` };
  return { error: message, error_type: code };
}

const FARTHEST = 8; // a retry and the run it became stand together, with a rollback in between at most

/** The run that this one says again: the one left out by the rewind that stands directly before it. */
async function sourceOf(journal: Journal, run: RunRecord): Promise<string | null> {
  const first = (await journal.readRun(run.run_id, 0, 1))?.rows[0]?.[1] ?? 0;
  const rewinds = (await journal.reads.runsOf(run.session_id)).map(
    ({ rewound_at }) => rewound_at ?? 0,
  );
  const at = Math.max(0, ...rewinds.filter((seq) => seq < first));
  if (at === 0 || first - at > FARTHEST || run.parent_run_id !== null) return null;
  const page = await journal.readSession(run.session_id, at - 1, first - at);
  const [rewound, ...between] = page?.rows.map(([, , body]) => JSON.parse(body) as RunEvent) ?? [];
  if (rewound?.type !== "session.rewound" || rewound.payload.reason === "undo") return null;
  const rollback = between.find(({ type }) => type === "run.queued");
  const direct = rollback?.type === "run.queued" && rollback.payload.source === "direct";
  if (between.length > 0 && !direct) return null;
  return rewound.payload.run_ids[0] ?? null;
}
