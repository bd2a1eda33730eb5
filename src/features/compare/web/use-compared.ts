// The aligned steps of both runs. Deferred, so that a growing run never delays input.
import { useDeferredValue, useMemo, useSyncExternalStore } from "react";
import type { SessionSource } from "../../../kernel/client/sessions/store.ts";
import { align, type AlignedRow } from "./align.ts";
import { stepsOf, type Step } from "./steps.ts";
import { totalsOf, type Totals } from "./totals.ts";

/** A run and the session to read it from. */
export type Side = { readonly source: SessionSource; readonly runId: string };
export type Compared = {
  readonly rows: readonly AlignedRow<Step>[];
  readonly left: Totals | null;
  readonly right: Totals | null;
};

export function useCompared(left: Side, right: Side): Compared {
  const one = useDeferredValue(useRuns(left.source));
  const two = useDeferredValue(useRuns(right.source));
  const leftSteps = useMemo(() => stepsOf(one, left.runId), [one, left.runId]);
  const rightSteps = useMemo(() => stepsOf(two, right.runId), [two, right.runId]);
  return useMemo(
    () => ({
      rows: align(leftSteps, rightSteps),
      left: totalsOf(one, left.runId),
      right: totalsOf(two, right.runId),
    }),
    [leftSteps, rightSteps, one, two, left.runId, right.runId],
  );
}

export function useRuns(source: SessionSource) {
  return useSyncExternalStore(source.subscribe, () => source.getState().runs);
}

export function useSessionState(source: SessionSource) {
  return useSyncExternalStore(source.subscribe, () => source.getState().session);
}
