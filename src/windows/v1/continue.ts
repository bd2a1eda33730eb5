// Continues a response. The newest response of a session is continued in that session, by one run only; any other
// becomes a branch, because later messages were said to somebody else.
import { randomUUID } from "node:crypto";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import type { StartRun } from "../../kernel/events/commands.ts";
import { V1_METADATA, type V1Metadata } from "./wire/responses/object.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import { isNotice } from "../../kernel/state/run/notice.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { fingerprint as hashOf, start } from "./start.ts";
import { V1Error } from "./v1-error.ts";

type Following = {
  readonly command: StartRun;
  readonly key: string | undefined; // the client's own
  readonly fingerprint: string;
};

export async function startAfter(
  deps: AppDeps,
  previous: RunRecord,
  { command, key, fingerprint }: Following,
): Promise<RunRecord> {
  const { journal } = deps;
  const { run_id, session_id } = previous;
  // Two that follow one response at the same moment: the journal lets one of them be the next.
  const body = key === undefined ? randomUUID() : `${key} ${fingerprint}`;
  const follow = () =>
    start(deps, { ...command, session_id }, { scope: `v1:after:${run_id}`, key: "next", body });
  const after = await runAfter(journal, previous);
  if (after === "none") {
    const run = await follow().catch(refusedAsTaken);
    if (run) return run;
  } else if (after && key !== undefined && (await keyOf(journal, after)) === key) {
    return follow(); // once more: the same run, or told that the key was for something else
  }
  const branch = await branchAfter(journal, { run_id, session_id, ...sameBranch(key) });
  const same = { scope: "v1:responses", body: fingerprint };
  const keyed = key === undefined ? undefined : { ...same, key };
  return start(deps, { ...command, session_id: branch.session_id }, keyed);
}

/**
 * Where what follows a run is said: in its session while it is the newest there, else in a branch. `key`: the
 * client's own; with the same one again it is the same place.
 */
export async function sessionAfter(
  journal: Journal,
  previous: RunRecord,
  key: string | undefined,
): Promise<string> {
  const { run_id, session_id } = previous;
  const after = await runAfter(journal, previous);
  if (after === "none") return session_id;
  if (after && key !== undefined && (await keyOf(journal, after)) === key) return session_id;
  return (await branchAfter(journal, { run_id, session_id, ...sameBranch(key) })).session_id;
}

const MAX_KEY = 255 - "v1:".length;

/** A request that is made again gets the branch it made, not another one. */
function sameBranch(key: string | undefined): { readonly command_id?: string } {
  if (key === undefined) return {};
  return { command_id: `v1:${key.length > MAX_KEY ? hashOf(key) : key}` };
}

type Place = { readonly run_id: string; readonly session_id: string; readonly command_id?: string };

async function branchAfter(journal: Journal, { session_id, ...point }: Place) {
  const branch = await journal.commands.branch(session_id, point);
  if (branch?.accepted && branch.session_id !== null) return { session_id: branch.session_id };
  const message = branch?.safe_message ?? "The conversation is gone.";
  throw new V1Error(409, "previous_response_conflict", message, "previous_response_id");
}

function refusedAsTaken(error: unknown): undefined {
  if (error instanceof ApiError && error.code === "idempotency_conflict") return undefined;
  throw error;
}

/**
 * The next run of the conversation; "none": there is room for one. Undefined: it is no part of it any more. A notice
 * ("Renamed") never was: what follows it follows what was said before.
 */
async function runAfter(journal: Journal, { run_id, session_id }: RunRecord) {
  const roots = (await journal.reads.runsOf(session_id)).filter(
    (run) => run.parent_run_id === null,
  );
  const at = roots.findIndex((run) => run.run_id === run_id);
  const here = roots[at];
  if (!here || (here.rewound_at !== null && !isNotice(here))) return undefined;
  return roots.slice(at + 1).find(({ rewound_at }) => rewound_at === null) ?? "none";
}

async function keyOf(journal: Journal, { run_id }: RunRecord): Promise<string | undefined> {
  const rows = (await journal.readRun(run_id, 0, 2))?.rows ?? [];
  const events = rows.map(([, , body]) => JSON.parse(body) as RunEvent);
  const queued = events.find((event) => event.type === "run.queued");
  const own = queued?.payload.metadata[V1_METADATA] as V1Metadata | undefined;
  return own?.idempotency_key;
}
