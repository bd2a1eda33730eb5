// What lists and inboxes show, kept in step with the events by the transaction that appends them: each event
// becomes statements, and nothing is read for it. Everything here can be made anew from the events (`rebuild`),
// so nothing here may know more.
import type { Statement } from "../sql.ts";

/** The part of a log's row a projection may look at. */
export type ProjectedLog = { log_key: number; session_key: number };
/** Where the event stands. */
export type Placed = { seq: number; sessionSeq: number; at: number };

export type Projection = (log: ProjectedLog, payload: never, place: Placed) => readonly Statement[];
export type Projections = Readonly<Record<string, Projection>>;

/** Raise it when a projection learns to keep more: journals are then brought up to date as they open. */
export const PROJECTIONS_VERSION = 2;
