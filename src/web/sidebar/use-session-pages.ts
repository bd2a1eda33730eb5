// All known sessions: the live list, pinned ones, and older pages loaded while scrolling.
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { SessionRecord } from "../../kernel/client/records.ts";
import { useApp } from "../app-context.ts";
import { merged } from "./sessions/list.ts";

const PAGE = 200;
const FEW = 50; // the page's own list is never shorter than this while there are more

export type SessionPages = {
  readonly sessions: readonly SessionRecord[] | null; // null: not known yet
  readonly more: boolean;
  readonly loadMore: () => void;
  /** Reloads a session after an action, because its record may be outdated. */
  readonly changed: (sessionId: string) => void;
};

export function useSessionPages(): SessionPages {
  const { api, sessions: newest, refreshSessions, board } = useApp();
  const gone = useSyncExternalStore(board.subscribe, () => board.getState().gone);
  const [pinned, setPinned] = useState<readonly SessionRecord[]>([]);
  const [older, setOlder] = useState<readonly SessionRecord[]>([]);
  const [end, setEnd] = useState(false);
  const [round, setRound] = useState(0);
  const loading = useRef(false);

  useEffect(() => {
    const stop = new AbortController();
    const pinnedOnly = { limit: PAGE, offset: 0, pinned: true };
    api.sessions(pinnedOnly, stop.signal).then(setPinned, () => {}); // the newest are there anyway
    return () => stop.abort();
  }, [api, round, gone]); // another window deleted one, or brought it back

  const offset = (newest?.length ?? 0) + older.length;
  const more = newest !== null && newest.length >= FEW && !end;
  const loadMore = useCallback(() => {
    if (!more || loading.current) return;
    loading.current = true;
    api
      .sessions({ limit: PAGE, offset })
      .then((page) => {
        setOlder((before) => merged(page, before));
        setEnd(page.length < PAGE);
      })
      .catch(() => {}) // scrolling asks again
      .finally(() => {
        loading.current = false;
      });
  }, [api, more, offset]);

  const changed = useCallback(
    (sessionId: string) => {
      const without = (list: readonly SessionRecord[]) =>
        list.filter(({ session_id }) => session_id !== sessionId);
      setOlder(without);
      setPinned(without);
      setRound((before) => before + 1);
      refreshSessions();
    },
    [refreshSessions],
  );
  const sessions = useMemo(
    () => newest && merged(newest, pinned, older).filter(({ session_id }) => !gone.has(session_id)),
    [newest, pinned, older, gone],
  );
  return { sessions, more, loadMore, changed };
}
