// Dismisses failures after a delay for undo. Leaving the page sends it at once.
import { useCallback, useEffect, useRef, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import type { Trouble } from "../../kernel/api/records/records.ts";
import { useApp } from "../app-context.ts";
import { newId } from "../new-id.ts";
import { markSeen } from "../sidebar/seen.ts";
import { useHeads } from "../sidebar/use-mark-seen.ts";
import { useInbox } from "./inbox-store.ts";

const UNDO_MS = 6_000;
const NONE: ReadonlySet<string> = new Set();

export function useDismiss() {
  const { api } = useApp();
  const { refresh } = useInbox();
  const headOf = useHeads();
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(NONE);
  const [last, setLast] = useState<Trouble | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const waiting = useRef<{ trouble: Trouble; timer: ReturnType<typeof setTimeout> } | null>(null);

  const bringBack = useCallback(({ run_id }: Trouble) => {
    setDismissed((before) => new Set([...before].filter((known) => known !== run_id)));
  }, []);
  const send = useCallback(() => {
    if (!waiting.current) return;
    const { trouble, timer } = waiting.current;
    waiting.current = null;
    clearTimeout(timer);
    setLast(null);
    const change = { dismissed_run_id: trouble.run_id, command_id: newId("cmd") };
    const refused = (why: string) => {
      bringBack(trouble);
      setProblem(`It was not dismissed. ${why}`);
    };
    api.updateSession(trouble.session_id, change).then(
      ({ accepted, safe_message }) => {
        if (!accepted) return refused(safe_message);
        const seq = headOf(trouble.session_id);
        if (seq !== undefined) markSeen(trouble.session_id, seq + 1); // one's own doing is no news
        refresh();
      },
      (error: unknown) => refused(toApiFailure(error).message),
    );
  }, [api, refresh, headOf, bringBack]);

  useEffect(() => {
    window.addEventListener("pagehide", send);
    return () => {
      window.removeEventListener("pagehide", send);
      send();
    };
  }, [send]);

  const dismiss = useCallback(
    (trouble: Trouble) => {
      send(); // one at a time can be taken back
      setProblem(null);
      setDismissed((before) => new Set(before).add(trouble.run_id));
      setLast(trouble);
      waiting.current = { trouble, timer: setTimeout(send, UNDO_MS) };
    },
    [send],
  );
  const undo = useCallback(() => {
    if (!waiting.current) return;
    const { trouble, timer } = waiting.current;
    waiting.current = null;
    clearTimeout(timer);
    setLast(null);
    bringBack(trouble);
  }, [bringBack]);
  return { dismissed, last, problem, dismiss, undo };
}
