// The one way to define a journal event.
// Only the journal assigns the envelope; everyone else may only propose a Draft.
import { z } from "zod";
import type { SharePart } from "./share-policy.ts";

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

/**
 * begins: something starts, asks or waits with it, so it is refused once its run is being stopped. offers: after it
 * another run may be claimed.
 */
export type Work = "none" | "begins" | "offers";

/** Required of every event: what a shared file leaves out of it, whether search finds it, and what work it starts. */
export type EventFacts<Payload> = {
  /** What a shared file without one of these parts has instead. `all`: nothing in it belongs to a part. */
  readonly share: "all" | { readonly [Part in SharePart]?: (payload: Payload) => Payload };
  /** Whether search finds it: see `kernel/search/text.ts`. */
  readonly search: boolean;
  readonly work: Work | ((payload: Payload) => Work);
};

export function defineEvent<
  const Type extends string,
  Payload extends z.ZodRawShape,
  const Facts extends EventFacts<z.infer<z.ZodObject<Payload>>>,
>(type: Type, payload: Payload, facts: Facts) {
  return Object.assign(eventSchema(type, payload), { facts });
}

/** An event of the system log belongs to no session: it is neither shared nor searched, and it starts no work. */
export const defineSystemEvent = eventSchema;

function eventSchema<const Type extends string, Payload extends z.ZodRawShape>(
  type: Type,
  payload: Payload,
) {
  return z.object({ ...envelope, type: z.literal(type), payload: z.object(payload) });
}
