// What lists and inboxes show, kept in step with the events by the transaction that appends them: each event
// becomes statements, and nothing is read for it. Everything here can be made anew from the events (`rebuild`),
// so nothing here may know more.
import type { Draft } from "../protocol/events.ts";
import { own } from "../protocol/own.ts";
import { projectRequests } from "./project-requests.ts";
import { projectRuns } from "./project-runs.ts";
import { projectSessions } from "./project-sessions.ts";
import type { Statement } from "./sql.ts";

/** The part of a log's row a projection may look at. */
export type ProjectedLog = { log_key: number; session_key: number };
/** Where the event stands. */
export type Placed = { seq: number; sessionSeq: number; at: number };

export type Said = {
  log: ProjectedLog;
  seq: number;
  at: number;
  role: "user" | "assistant";
  messageId: string;
  text: string;
};
export type Edited = { log: ProjectedLog; messageId: string; text: string };

/** The words of conversations. Each database has its own index of them. */
export type WordIndex = {
  add(said: Said): readonly Statement[];
  edit(edited: Edited): readonly Statement[];
};

export type Projection = (
  log: ProjectedLog,
  payload: never,
  place: Placed,
  words: WordIndex,
) => readonly Statement[];
export type Projections = Readonly<Record<string, Projection>>;

/** Raise it when a projection learns to keep more: journals are then brought up to date as they open. */
export const PROJECTIONS_VERSION = 2;

const PROJECTIONS: Projections = { ...projectSessions, ...projectRuns, ...projectRequests };
const NOTHING: readonly Statement[] = [];

/** In order. */
export function project(
  log: ProjectedLog,
  draft: Draft,
  place: Placed,
  words: WordIndex,
): readonly Statement[] {
  return own(PROJECTIONS, draft.type)?.(log, draft.payload as never, place, words) ?? NOTHING;
}
