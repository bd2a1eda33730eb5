// The palette action that opens the comparison of the shown run.
import { useAction } from "../../../web/keys/actions.ts";
import { useShownRun } from "../../../web/session/shown-run.ts";
import { adjust } from "../../../web/use-route.ts";

export function CompareAction() {
  const runId = useShownRun();
  useAction({
    id: "run.compare",
    title: "Compare with another run",
    section: "Run",
    unavailable: runId === null ? "There is no run yet" : null,
    run: () => {
      if (runId !== null) adjust({ view: "compare", runId, seq: undefined });
    },
  });
  return null;
}
