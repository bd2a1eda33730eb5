// The figures of what is asked for. The ones before stay on the screen until the new ones are here.
import { useCallback, useEffect, useState } from "react";
import { insightCalls } from "../client.ts";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import type { InsightsView } from "../records.ts";
import { useApp } from "../../../web/app-context.ts";
import { askedIn, searchOf, type Asked } from "./asked.ts";

export type Shown = { readonly days: InsightsView; readonly groups: InsightsView };

export function useInsights() {
  const { api } = useApp();
  const [asked, setAsked] = useState<Asked>(() => askedIn(location.search));
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(true);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const { insights } = insightCalls(api.calls);
    const load = async () => {
      const { signal } = leaving;
      const [days, groups] = await Promise.all([
        insights("day", asked.period, signal),
        insights(asked.by, asked.period, signal),
      ]);
      setShown({ days, groups });
      setProblem(null);
      setBusy(false);
    };
    load().catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      setProblem(toApiFailure(error).message);
      setBusy(false);
    });
    return () => leaving.abort();
  }, [api, asked, round]);
  const ask = useCallback((next: Asked) => {
    history.replaceState(null, "", `${location.pathname}${searchOf(next)}`);
    setBusy(true);
    setAsked(next);
  }, []);
  const refresh = useCallback(() => {
    setBusy(true);
    setRound((before) => before + 1);
  }, []);
  return { asked, ask, shown, problem, busy, refresh };
}
