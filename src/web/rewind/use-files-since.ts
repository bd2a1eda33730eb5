// Runs and files since one exchange: what a rerun undoes and a branch leaves out.
import { useContext, useMemo } from "react";
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import { values } from "../../kernel/state/vector.ts";
import { filesOf } from "../files/run-files.ts";
import { LiveContext, useLive } from "../session/use-session.ts";
import { isExchange } from "./exchange.ts";

type Since = { readonly files: readonly string[]; readonly later: number };

function filesSince({ session, runs }: SessionView, runId: string, from: "it" | "after"): Since {
  const files = new Set<string>();
  let seen = false;
  let later = 0;
  for (const summary of values(session.runs)) {
    const run = runs[summary.runId];
    const isIt = summary.runId === runId;
    seen ||= isIt;
    if (!seen || !run || run.depth > 0 || summary.rewound || !isExchange(run)) continue;
    if (!isIt) later += 1;
    if (isIt && from === "after") continue;
    for (const path of filesOf(runs, summary.runId)) files.add(path);
  }
  return { files: [...files], later };
}

export function useFilesSince(runId: string, from: "it" | "after" = "it"): Since {
  const store = useContext(LiveContext); // what is undone is undone now, whatever is shown
  const order = useLive(({ session }) => session.runs);
  return useMemo(
    () =>
      store && order.length > 0
        ? filesSince(store.getState(), runId, from)
        : { files: [], later: 0 },
    [store, order, runId, from],
  );
}
