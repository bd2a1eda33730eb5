// What is open and visible has been seen. The list does not move with every event; the board does, so it is
// asked how far a session is: when it is opened, when it is left, and when something in the list changes.
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
    // What somebody marked for later stays so until they open it again.
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

/** The number of a session's newest event, as far as this page knows. */
export function useHeads(): (sessionId: string) => number | undefined {
  const { board } = useApp();
  return useCallback(
    (sessionId: string) =>
      board.getState().sessions?.find(({ session_id }) => session_id === sessionId)?.seq,
    [board],
  );
}
