// Background commands, read from the journal: which exist and what they printed. A request for more waits for the
// run's next events; nothing is kept between two requests.
import type { Journal, Wake } from "../../journal/journal.ts";
import { lookUntil } from "../../journal/read/look-until.ts";
import { loadRun } from "../../journal/read/load-run.ts";
import type { ProcessLogView, ProcessPiece, ProcessSummary } from "../../api/records/records.ts";
import { ApiError } from "../../events/errors.ts";
import type { RunEvent } from "../../events/events.ts";
import type { RunState } from "../../state/run/state.ts";
import { isTerminal } from "../../state/run/status.ts";
import { values } from "../../state/vector.ts";

const PAGE = 200;
const RUNS_OF_SESSION = 50;
const SESSIONS = 20;
const MAX_RUNS = 200;

export type ProcessPlace = { readonly runId: string; readonly processId: string };

/** Of a session's newest runs; without one, of every run that goes on and of the newest sessions' last. */
export async function listProcesses(journal: Journal, sessionId?: string) {
  const found = await (sessionId === undefined ? liveRuns(journal) : runsOf(journal, sessionId));
  const processes: ProcessSummary[] = [];
  for (const runId of found.runIds) {
    const state = await readable(() => loadRun(journal, runId));
    for (const one of state?.processes ?? []) {
      processes.push(await summaryOf(journal, state as RunState, one.processId));
    }
  }
  processes.sort((one, other) => other.started_at - one.started_at);
  return { processes, truncated: found.truncated };
}

async function runsOf(journal: Journal, sessionId: string) {
  const runs = await journal.reads.runsOf(sessionId);
  const runIds = runs.slice(-RUNS_OF_SESSION).map(({ run_id }) => run_id);
  return { runIds, truncated: runs.length > RUNS_OF_SESSION };
}

async function liveRuns(journal: Journal) {
  const live = [...(await journal.registry.owned()).values()].flat();
  const sessions = await journal.reads.sessions({ limit: SESSIONS, offset: 0 });
  const last = await Promise.all(
    sessions.map(async ({ session_id }) => (await journal.reads.runsOf(session_id)).at(-1)?.run_id),
  );
  const runIds = [...new Set([...live, ...last.flatMap((runId) => runId ?? [])])];
  const truncated = sessions.length >= SESSIONS || runIds.length > MAX_RUNS;
  return { runIds: runIds.slice(0, MAX_RUNS), truncated };
}

/** A run that was damaged shows nothing and hides nothing else. */
async function readable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.code === "run_quarantined") return undefined;
    throw error;
  }
}

export async function findProcess(
  journal: Journal,
  { runId, processId }: ProcessPlace,
): Promise<ProcessSummary | undefined> {
  const state = await loadRun(journal, runId);
  const known = state?.processes.some((one) => one.processId === processId);
  return state && known ? summaryOf(journal, state, processId) : undefined;
}

async function summaryOf(
  journal: Journal,
  state: RunState,
  processId: string,
): Promise<ProcessSummary> {
  const one = state.processes.find((each) => each.processId === processId);
  if (!one) throw new Error(`no process ${processId}`);
  const isRunning = one.status === "running" && !isTerminal(state.status);
  const run = await journal.reads.run(state.runId);
  return {
    process_id: processId,
    run_id: state.runId,
    session_id: run?.session_id ?? "",
    command: one.command,
    status: isRunning ? "running" : "exited",
    exit_code: one.exitCode,
    started_at: await startOf(journal, state, one),
    output_bytes: one.bytes,
  };
}

/** Soon after its call began: a command that was asked about waits for its answer first. */
async function startOf(
  journal: Journal,
  state: RunState,
  { processId, callId }: { processId: string; callId: string },
): Promise<number> {
  let call: { seq: number; at: number } = { seq: 0, at: state.createdAt };
  for (const item of values(state.items)) {
    if (item.kind === "tool" && item.callId === callId) call = item;
  }
  for await (const event of eventsAfter(journal, state.runId, call.seq)) {
    if (event.type !== "process.started") continue;
    if (event.payload.process_id === processId) return event.created_at;
  }
  return call.at;
}

async function* eventsAfter(journal: Journal, runId: string, seq: number) {
  for (let after = seq; ;) {
    const page = await journal.readRun(runId, after, PAGE);
    for (const [at, , body] of page?.rows ?? []) {
      after = at;
      if (body.includes('"process.')) yield JSON.parse(body) as RunEvent;
    }
    if (!page || page.rows.length < PAGE) return;
  }
}

type LogQuery = { readonly from: number; readonly bytes: number };

/** Pieces from a byte on, as many as fit; at least one when there is one. */
export async function readLog(
  journal: Journal,
  place: ProcessPlace,
  { from, bytes }: LogQuery,
): Promise<ProcessLogView | undefined> {
  const process = await findProcess(journal, place);
  if (!process) return undefined;
  const pieces: ProcessPiece[] = [];
  let room = bytes;
  let next = from;
  for await (const event of eventsAfter(journal, place.runId, 0)) {
    if (event.type !== "process.output" || event.payload.process_id !== place.processId) continue;
    const piece = pieceAfter(event.payload, from);
    if (!piece) continue;
    room -= Buffer.byteLength(piece.text);
    if (room < 0 && pieces.length > 0) break;
    pieces.push(piece);
    next = piece.end;
  }
  return { process, pieces, next_offset: next, more: next < process.output_bytes };
}

type Printed = { readonly offset: number; readonly text: string; readonly bytes: number };

function pieceAfter({ offset, text, bytes: end }: Printed, from: number): ProcessPiece | undefined {
  if (end <= from) return undefined;
  const printed = Buffer.from(text);
  // Where a secret was taken out, or something is missing, bytes cannot be counted: then all of it comes.
  const isExact = printed.length === end - offset;
  if (offset >= from || !isExact) return { offset, end, text };
  return { offset: from, end, text: printed.subarray(from - offset).toString("utf8") };
}

/** The same, but when there is nothing yet it waits for something, for the process's end, or for `over`. */
export async function followLog(
  journal: Journal,
  place: ProcessPlace,
  request: LogQuery,
  over: AbortSignal,
): Promise<ProcessLogView | undefined> {
  const concerns = ({ logId }: Wake) => logId === place.runId;
  let view: ProcessLogView | undefined;
  await lookUntil(journal, { concerns, signal: over }, async () => {
    view = await readLog(journal, place, request);
    return !view || view.pieces.length > 0 || view.process.status !== "running" ? true : undefined;
  });
  return view;
}
