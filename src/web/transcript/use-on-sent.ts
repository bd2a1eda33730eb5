// Tells when this window sends something to the session: who says a word wants to see it said.
import { useEffect } from "react";
import { useApp } from "../app-context.ts";

export function useOnSent(sessionId: string, onSent: () => void): void {
  const { outbox } = useApp();
  useEffect(() => {
    const ids = () =>
      new Set(
        outbox
          .getState()
          .filter((entry) => entry.sessionId === sessionId)
          .map(({ messageId }) => messageId),
      );
    let known = ids();
    return outbox.subscribe(() => {
      const now = ids();
      const isNew = [...now].some((id) => !known.has(id));
      known = now;
      if (isNew) onSent();
    });
  }, [outbox, sessionId, onSent]);
}
