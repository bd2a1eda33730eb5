// Where a console's stream starts. A refused EventSource never reconnects and cannot say why, so a cursor that fits
// nothing here starts at the beginning (delivery is at least once; frames have ids). Only text that is no cursor is
// refused: no client of ours sends it.
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { parseCursor, type LogHead } from "../../../kernel/events/cursor.ts";
import type { ConsoleStream } from "../wire/bodies.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";

/**
 * The real client has no cursor. It opens its stream again after its first message was taken, and after it has read
 * a transcript; what happened since must still arrive. This long ago counts as meanwhile.
 */
const MEANWHILE_S = 10;
/** Events at a run's end among which its last message is looked for. */
const TAIL = 50;
const FROM_THE_START = new Set(["1", "true", "yes"]);

/**
 * A browser that comes back repeats the address it was given and adds the header: what it has seen since
 * counts more than where it once wanted to start.
 */
export async function startOf(
  journal: Journal,
  { headers }: FastifyRequest,
  query: z.infer<typeof ConsoleStream>,
  { begun, ...head }: LogHead & { readonly begun: number }, // unix seconds; 0: not yet
): Promise<number> {
  const header = headers["last-event-id"];
  const given = [header, query.last_event_id, query.after_seq, query.cursor];
  const text = given.find((each) => each !== undefined && each !== "");
  if (text !== undefined) return placeOf(journal, String(text), head);
  if (isMeanwhile(begun) || FROM_THE_START.has(query.history ?? "")) return 0;
  return (await lastWords(journal, head.logId)) ?? head.seq;
}

/** Whether a stream without a cursor tells all of a session that began then. */
export const isMeanwhile = (at: number) => Date.now() / 1000 - at < MEANWHILE_S;

/**
 * Before the last message of a run that has just ended: its client may have a transcript that stops in the middle of
 * it. A completed message takes the place of what was said of it before.
 */
async function lastWords(journal: Journal, sessionId: string): Promise<number | undefined> {
  const runs = await journal.reads.runsOf(sessionId);
  const run = runs.findLast(({ parent_run_id }) => parent_run_id === null);
  if (!run || run.ended_at === null || !isMeanwhile(run.ended_at)) return undefined;
  if (run.rewound_at !== null || run.quarantined !== null) return undefined;
  const rows = (await journal.readRun(run.run_id, Math.max(0, run.seq - TAIL), TAIL))?.rows ?? [];
  const isMessage = (body: string) => (JSON.parse(body) as RunEvent).type === "message.completed";
  const [, place] = rows.findLast(([, , body]) => isMessage(body)) ?? rows.at(-1) ?? [];
  return place === undefined ? undefined : place - 1;
}

/**
 * `<session_seq>`, as the stream's `id:` lines have it; `<session>:<session_seq>`; or a frame's own id,
 * `<run>:<seq>`. What the session says itself has ids of the second shape with a smaller number: read as a
 * session_seq they begin too early, never too late.
 */
async function placeOf(journal: Journal, text: string, head: LogHead): Promise<number> {
  const log = /^(?:[^/]+\/)?(?<log>[^/]{1,200}):\d{1,15}$/.exec(text)?.groups?.["log"];
  const logId = log ?? head.logId;
  const { seq, epoch } = parseCursor(text, { ...head, logId });
  if (epoch !== undefined && epoch !== head.epoch) return 0; // older data was restored
  const place = logId === head.logId ? seq : await sessionSeq(journal, head, { runId: logId, seq });
  return place <= head.seq ? place : 0;
}

type Place = { readonly runId: string; readonly seq: number };

/** Where in this session that event of a run stands; 0 when it is nowhere in it. */
async function sessionSeq(
  journal: Journal,
  { logId: sessionId }: LogHead,
  { runId, seq }: Place,
): Promise<number> {
  const run = await journal.reads.run(runId);
  if (run?.session_id !== sessionId || seq < 1 || seq > run.seq) return 0;
  try {
    return (await journal.readRun(runId, seq - 1, 1))?.rows[0]?.[1] ?? 0;
  } catch (error) {
    if (error instanceof ApiError) return 0; // a damaged run: its session is told all the same
    throw error;
  }
}
