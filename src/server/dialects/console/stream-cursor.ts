// Where a console's stream begins. An EventSource that is refused once is dead for ever and cannot tell its
// page why: whatever is a cursor but fits nothing here begins at the beginning (a replay is at least once;
// frames have ids). Only text that is no cursor at all is refused: no client of ours has sent it.
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Journal } from "../../../journal/journal.ts";
import { parseCursor, type LogHead } from "../../../protocol/cursor.ts";
import type { ConsoleStream } from "../../../protocol/dialects/console-bodies.ts";
import { ApiError } from "../../../protocol/errors.ts";

const FROM_THE_START = new Set(["1", "true", "yes"]);

/**
 * A browser that comes back repeats the address it was given and adds the header: what it has seen since
 * counts more than where it once wanted to start.
 */
export async function startOf(
  journal: Journal,
  { headers }: FastifyRequest,
  query: z.infer<typeof ConsoleStream>,
  { isNew, ...head }: LogHead & { readonly isNew: boolean },
): Promise<number> {
  const header = headers["last-event-id"];
  const given = [header, query.last_event_id, query.after_seq, query.cursor];
  const text = given.find((each) => each !== undefined && each !== "");
  const fromStart = isNew || FROM_THE_START.has(query.history ?? "");
  if (text === undefined) return fromStart ? 0 : head.seq;
  return placeOf(journal, String(text), head);
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
  const run = await journal.run(runId);
  if (run?.session_id !== sessionId || seq < 1 || seq > run.seq) return 0;
  try {
    return (await journal.readRun(runId, seq - 1, 1))?.rows[0]?.[1] ?? 0;
  } catch (error) {
    if (error instanceof ApiError) return 0; // a damaged run: its session is told all the same
    throw error;
  }
}
