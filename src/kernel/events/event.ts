// The one way to define a journal event.
// Only the journal assigns the envelope; everyone else may only propose a Draft.
import { z } from "zod";

export const envelope = {
  event_id: z.string(), // "<run_id>:<seq>", also the SSE id, so a browser's Last-Event-ID is a cursor
  seq: z.int().positive(), // gapless per log, starts at 1
  run_id: z.string(), // the log: a run's id, or the session's own id for events outside any run
  session_id: z.string(),
  session_seq: z.int().positive(), // gapless per session, across its runs and restarts
  epoch: z.string(), // of the journal when the event was written
  created_at: z.number(), // unix seconds, never decreases within a log; reducers never read a clock
  terminal: z.boolean(), // true on exactly one event of a run, its last
  prev_hash: z.string(),
  hash: z.string(), // SHA-256 of the event's bytes before `,"hash":`
};

export function defineEvent<const Type extends string, Payload extends z.ZodRawShape>(
  type: Type,
  payload: Payload,
) {
  return z.object({ ...envelope, type: z.literal(type), payload: z.object(payload) });
}
