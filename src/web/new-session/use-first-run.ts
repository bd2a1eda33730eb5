// Opens the demo on the very first visit without sessions, once.
import { useEffect, useState } from "react";
import type { Api } from "../../kernel/client/api.ts";
import { useApp } from "../app-context.ts";
import { recall, remember } from "../storage.ts";
import { navigate } from "../use-route.ts";
import { firstRunOf, isWelcomed } from "./demo-session.ts";

const KEY = "quarterdeck.welcomed";
const PATIENCE_MS = 2_000;

type Step = "looking" | "opening" | "no";

/** "looking": unknown yet; the page shows nothing. */
export function useFirstRun(): Step {
  const { api, status, sessions, refreshSessions } = useApp();
  const [known, setKnown] = useState<Step>("looking");
  const epoch = status?.epoch;
  const usualIsDemo = status?.model.demo !== false;
  const step = known === "looking" ? decide(epoch, sessions?.length) : known;
  if (step !== known) setKnown(step); // decided once: the list grows while the demo is being opened
  useEffect(() => {
    if (step !== "looking") return;
    const timer = setTimeout(() => setKnown("no"), PATIENCE_MS); // a server that is slow to say
    return () => clearTimeout(timer);
  }, [step]);
  useEffect(() => {
    if (step === "no" && epoch !== undefined) remember(KEY, epoch);
  }, [step, epoch]);
  useEffect(() => {
    if (step !== "opening" || epoch === undefined) return;
    const leaving = new AbortController();
    openDemo(api, firstRunOf(epoch, usualIsDemo), leaving.signal).then(
      (sessionId) => {
        if (leaving.signal.aborted) return;
        remember(KEY, epoch);
        refreshSessions();
        if (sessionId === null) setKnown("no");
        else navigate({ page: "session", sessionId }, { replace: true });
      },
      () => {
        if (!leaving.signal.aborted) setKnown("no"); // the page and its button are there
      },
    );
    return () => leaving.abort();
  }, [step, epoch, usualIsDemo, api, refreshSessions]);
  return step;
}

function decide(epoch: string | undefined, sessions: number | undefined): Step {
  if (isWelcomed(recall(KEY), epoch)) return "no";
  if (epoch === undefined || sessions === undefined) return "looking";
  return sessions === 0 ? "opening" : "no";
}

/** Null: it existed and was deleted. Another window may have started it. */
async function openDemo(
  api: Api,
  command: ReturnType<typeof firstRunOf>,
  signal: AbortSignal,
): Promise<string | null> {
  const { session_id: sessionId } = command;
  const { status } = await api.startRun(command, signal);
  if (status === "accepted") return sessionId;
  const listed = await api.sessions({ limit: 50, offset: 0 }, signal);
  return listed.some(({ session_id }) => session_id === sessionId) ? sessionId : null;
}
