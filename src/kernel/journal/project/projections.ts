// Keeps lists and inboxes in step with the events, in the transaction that appends them: each event becomes statements,
// without a read. `rebuild` recreates all of it from the events, so nothing here may depend on anything else.
import type { Statement } from "../sql.ts";

/** The part of a log's row that a projection may use. */
export type ProjectedLog = { log_key: number; session_key: number };
/** The event's position. */
export type Placed = { seq: number; sessionSeq: number; at: number };

export type Projection = (log: ProjectedLog, payload: never, place: Placed) => readonly Statement[];
export type Projections = Readonly<Record<string, Projection>>;

/** Raise it when a projection stores more: existing journals are then rebuilt when they open. */
export const PROJECTIONS_VERSION = 2;
