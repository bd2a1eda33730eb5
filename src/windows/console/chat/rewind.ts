// Undoes or retries the newest exchange. What was said stays in the journal.
import type { FastifyRequest } from "fastify";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { loadRun } from "../../../kernel/journal/read/load-run.ts";
import type { RunRecord } from "../../../kernel/api/records/records.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { ConsoleTarget } from "../wire/bodies.ts";
import { directCall } from "../../../kernel/events/direct.ts";
import { get } from "../../../kernel/state/vector.ts";
import { promptOf, requireRunOf } from "./runs.ts";
import { both, ConsoleError, keyOf, take } from "../envelopes.ts";

/** Of a session: its newest exchange. Of a run: that one, and everything after it is left out. */
export async function retry(journal: Journal, request: FastifyRequest) {
  const asked = take(ConsoleTarget, request.body);
  const key = keyOf(asked, request);
  const run = await runIn(journal, asked);
  const outcome = run
    ? await rerun(journal, run.run_id, key)
    : await journal.commands.retry(
        asked.session_id ?? "",
        key === undefined ? {} : { command_id: key },
      );
  const { session_id, run_id } = wanted(outcome, asked, "nothing_to_retry");
  const retried_from_run_id = asked.run_id ?? runsIn(outcome)[0] ?? null;
  const duplicate = outcome?.status === "duplicate";
  return both({ session_id, run_id, retried_from_run_id, status: "started", duplicate });
}

async function rerun(journal: Journal, runId: string, key: string | undefined) {
  const state = await loadRun(journal, runId);
  const message = (state && promptOf(state)) || " ";
  return journal.commands.rerun(runId, { message, ...(key !== undefined && { message_id: key }) });
}

export async function undo(journal: Journal, request: FastifyRequest) {
  const asked = take(ConsoleTarget, request.body);
  const run = await runIn(journal, asked);
  const sessionId = run?.session_id ?? asked.session_id ?? "";
  if (run && run.rewound_at !== null) return unavailable(sessionId, "It was undone already.");
  if (run && (await isFollowed(journal, run))) {
    const message = "Something was said after that run. Undo what came later first.";
    throw new ConsoleError("not_newest", message, { run_id: run.run_id, session_id: sessionId });
  }
  const key = keyOf(asked, request);
  // By its id: when another window was faster, the newest is not that one any more.
  const outcome = await journal.commands.undo(sessionId, {
    ...(run && { run_id: run.run_id }),
    ...(key !== undefined && { command_id: key }),
  });
  if (outcome?.status === "not_active") return unavailable(sessionId, outcome.safe_message);
  const { run_id } = wanted(outcome, { session_id: sessionId }, "nothing_to_retry");
  const emitted = { supported: true, action: "undo", session_id: sessionId, run_id };
  return both({ ...emitted, run_ids: runsIn(outcome), status: "undone", undone: true });
}

function unavailable(session_id: string, reason: string) {
  const emitted = { supported: true, action: "undo", session_id, run_id: null, run_ids: [] };
  return both({ ...emitted, status: "unavailable", undone: false, reason });
}

type Named = Pick<ConsoleTarget, "session_id" | "run_id">;

async function runIn(journal: Journal, { run_id, session_id }: Named) {
  return run_id ? requireRunOf(journal, { run_id, session_id }) : undefined;
}

/** The outcome of a command that was taken; anything else is refused in the console's words. */
function wanted(outcome: Outcome | undefined, named: Named, nothing: "nothing_to_retry"): Outcome {
  const session_id = outcome?.session_id ?? named.session_id ?? null;
  if (!outcome) {
    const message = `There is no session ${session_id}.`;
    throw new ConsoleError("session_not_found", message, { session_id });
  }
  if (outcome.accepted) return outcome;
  const code = outcome.status === "conflict" ? "run_active" : nothing;
  throw new ConsoleError(code, outcome.safe_message, { session_id, run_id: named.run_id ?? null });
}

function runsIn(outcome: Outcome | undefined): readonly string[] {
  return (outcome?.payload as { run_ids?: string[] } | undefined)?.run_ids ?? [];
}

/** Whether something was said after the run that still counts: commands and what was taken back do not. */
async function isFollowed(journal: Journal, run: RunRecord): Promise<boolean> {
  const runs = (await journal.reads.runsOf(run.session_id)).filter(
    ({ parent_run_id, rewound_at, quarantined }) =>
      parent_run_id === null && rewound_at === null && quarantined === null,
  );
  const at = runs.findIndex(({ run_id }) => run_id === run.run_id);
  for (const later of runs.slice(at + 1)) {
    const state = await loadRun(journal, later.run_id);
    const said = state && get(state.items, 0);
    const retracted = said?.kind === "user" && said.retracted;
    if (state && !directCall(state) && !retracted) return true;
  }
  return false;
}
