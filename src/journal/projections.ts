// What lists and inboxes show, kept in step with the events by the transaction that appends them.
// Everything here can be made anew from the events (`rebuild`), so nothing here may know more.
import type { Draft } from "../protocol/events.ts";
import type { Database } from "./database.ts";
import { projectRequests } from "./project-requests.ts";
import { projectRuns } from "./project-runs.ts";
import { projectSessions } from "./project-sessions.ts";

/** The part of a log's row a projection may look at. */
export type ProjectedLog = { log_key: number; session_key: number };
/** Where the event stands. */
export type Placed = { seq: number; sessionSeq: number; at: number };
export type Projection = (db: Database, log: ProjectedLog, payload: never, place: Placed) => void;
export type Projections = Readonly<Record<string, Projection>>;

/** Raise it when a projection learns to keep more: journals are then brought up to date as they open. */
export const PROJECTIONS_VERSION = 2;

const PROJECTIONS: Projections = { ...projectSessions, ...projectRuns, ...projectRequests };

export function project(db: Database, log: ProjectedLog, draft: Draft, place: Placed): void {
  if (!Object.hasOwn(PROJECTIONS, draft.type)) return;
  PROJECTIONS[draft.type]?.(db, log, draft.payload as never, place);
}
