// Which run the tree, timeline and details show: the root of the run in the address, otherwise the current one.
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import { useRoute } from "../use-route.ts";
import { currentRunId } from "./active-run.ts";
import { useSession } from "./use-session.ts";

export function useShownRun(): string | null {
  const route = useRoute();
  const named = route.page === "session" ? route.runId : undefined;
  return useSession((view) => shownRun(view, named));
}

export function shownRun(view: SessionView, named: string | undefined): string | null {
  const run = named === undefined ? undefined : view.runs[named];
  return run ? run.rootRunId : currentRunId(view);
}
