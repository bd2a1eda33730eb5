// Marks the visible session as seen when it is opened, left, or changes in the list.
import { useCallback, useEffect } from "react";
import type { SessionRecord } from "../../kernel/client/records.ts";
import { useApp } from "../app-context.ts";
import { isMarkedUnread, markSeen } from "./seen.ts";

export function useMarkSeen(sessions: readonly SessionRecord[] | null, current: string | null) {
  const headOf = useHeads();
  const mark = useCallback(
    (sessionId: string) => {
      const seq = headOf(sessionId);
      if (seq !== undefined && document.visibilityState === "visible") markSeen(sessionId, seq);
    },
    [headOf],
  );
  const known = sessions !== null;
  useEffect(() => {
    if (current === null || !known) return;
    mark(current);
    // A session marked as unread stays so until it is opened again.
    const again = () => {
      if (!isMarkedUnread(current)) mark(current);
    };
    document.addEventListener("visibilitychange", again);
    return () => {
      document.removeEventListener("visibilitychange", again);
      again();
    };
  }, [current, known, mark]);
  useEffect(() => {
    if (current !== null && !isMarkedUnread(current)) mark(current);
  }, [current, sessions, mark]);
}

/** The newest known event number of a session. */
export function useHeads(): (sessionId: string) => number | undefined {
  const { board } = useApp();
  return useCallback(
    (sessionId: string) =>
      board.getState().sessions?.find(({ session_id }) => session_id === sessionId)?.seq,
    [board],
  );
}
