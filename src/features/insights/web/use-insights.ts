// The figures of what is asked for. The ones before stay on the screen until the new ones are here.
import { useState } from "react";
import { insightCalls } from "../client.ts";
import type { InsightsView } from "../records.ts";
import { useApp } from "../../../web/app-context.ts";
import { useQuery } from "../../../web/use-query.ts";
import { askedIn, searchOf, type Asked } from "./asked.ts";

export type Shown = { readonly days: InsightsView; readonly groups: InsightsView };

export function useInsights() {
  const { api } = useApp();
  const [asked, setAsked] = useState<Asked>(() => askedIn(location.search));
  const read = async (signal: AbortSignal): Promise<Shown> => {
    const { insights } = insightCalls(api.calls);
    const [days, groups] = await Promise.all([
      insights("day", asked.period, signal),
      insights(asked.by, asked.period, signal),
    ]);
    return { days, groups };
  };
  const query = useQuery(["insights"], read, { version: asked });
  const ask = (next: Asked) => {
    history.replaceState(null, "", `${location.pathname}${searchOf(next)}`);
    setAsked(next);
  };
  return { ...query, asked, ask };
}
