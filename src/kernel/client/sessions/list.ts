// The live list of sessions and of requests that wait. Every connection starts with the complete list, then sends
// changes. Of two records of a session the newer one wins, in whatever order they arrive.
import type { FeedBoard } from "../../api/records/feed.ts";
import { immediately, createListeners, type Schedule } from "../listeners.ts";
import type { RequestRecord, SessionRecord } from "../records.ts";

export type SessionListView = {
  /** The newest first; null until the server has said. */
  readonly sessions: readonly SessionRecord[] | null;
  /** Everything that waits for a person, the oldest first. */
  readonly pending: readonly RequestRecord[] | null;
  /** Deleted while this was told; another set whenever that changes, or all was told anew. */
  readonly gone: ReadonlySet<string>;
  /** Moves whenever something changes that belongs to no session. */
  readonly house: number;
};
export type SessionList = {
  readonly getState: () => SessionListView;
  readonly subscribe: (listener: () => void) => () => void;
  readonly merge: (emitted: FeedBoard) => void;
};

export function createSessionList(schedule: Schedule = immediately): SessionList {
  const listeners = createListeners(schedule);
  let sessions = new Map<string, SessionRecord>();
  let pending = new Map<string, readonly RequestRecord[]>();
  let view: SessionListView = { sessions: null, pending: null, gone: new Set(), house: 0 };
  return {
    getState: () => view,
    subscribe: listeners.subscribe,
    merge(emitted) {
      if (emitted.whole) {
        sessions = new Map();
        pending = new Map();
      }
      for (const record of emitted.sessions) {
        const known = sessions.get(record.session_id);
        if (!known || known.seq <= record.seq) sessions.set(record.session_id, record);
      }
      for (const id of emitted.gone) sessions.delete(id);
      const gone = goneAfter(emitted, view);
      let asked = emitted.whole;
      for (const [id, requests] of Object.entries(emitted.pending)) {
        if (idsOf(requests) === idsOf(pending.get(id) ?? [])) continue; // a request never changes
        asked = true;
        if (requests.length > 0) pending.set(id, requests);
        else pending.delete(id);
      }
      view = {
        sessions: newestFirst(sessions),
        pending: asked ? oldestFirst(pending) : view.pending,
        gone,
        house: emitted.house ?? view.house,
      };
      listeners.notify();
    },
  };
}

function goneAfter(
  emitted: FeedBoard,
  { sessions, gone: before }: SessionListView,
): ReadonlySet<string> {
  const isFirst = sessions === null && emitted.gone.length === 0; // nothing was known that it could change
  if (emitted.whole) return isFirst ? before : new Set(emitted.gone);
  const back = emitted.sessions.some(({ session_id }) => before.has(session_id));
  if (!back && emitted.gone.length === 0) return before;
  const gone = new Set([...before, ...emitted.gone]);
  for (const { session_id } of emitted.sessions) gone.delete(session_id);
  return gone;
}

function idsOf(requests: readonly RequestRecord[]): string {
  return requests.map(({ request_id }) => request_id).join(" ");
}

function newestFirst(sessions: ReadonlyMap<string, SessionRecord>): SessionRecord[] {
  return [...sessions.values()].toSorted(
    (a, b) => b.updated_at - a.updated_at || (a.session_id < b.session_id ? 1 : -1),
  );
}

function oldestFirst(pending: ReadonlyMap<string, readonly RequestRecord[]>): RequestRecord[] {
  return [...pending.values()].flat().toSorted((a, b) => a.created_at - b.created_at);
}
