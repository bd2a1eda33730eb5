// The data of one timeline at the shown moment. The axis covers the whole time, so spans grow on it while
// scrubbing.
import { useMemo, useSyncExternalStore } from "react";
import { useIsPast, useFold, useLiveStore } from "../session/use-session.ts";
import { familyOf, type Family } from "./family.ts";
import { useHorizon } from "./horizon.ts";
import { idleStretches } from "./idle.ts";
import type { Extent } from "./scale.ts";
import { timelineFold } from "./timeline-fold.ts";

export type Timeline = {
  readonly family: Family;
  readonly extent: Extent;
  /** The end of what is still running. */
  readonly until: number;
  /** The shown moment; null: now. */
  readonly moment: number | null;
  readonly live: boolean;
};

export function useTimeline(rootId: string, compress: boolean): Timeline | null {
  const past = useIsPast();
  const lines = useFold(timelineFold, (state) => state.lines);
  const at = useFold(timelineFold, (state) => (past ? state.at : null));
  const store = useLiveStore();
  const liveLines = useSyncExternalStore(store.subscribe, () => store.through(timelineFold).lines);
  const family = useMemo(() => familyOf(lines, rootId), [lines, rootId]);
  const whole = useMemo(() => familyOf(liveLines, rootId), [liveLines, rootId]);

  const start = whole?.root.startedAt ?? 0;
  const horizon = useHorizon(start, whole?.endedAt === null);
  const end = Math.max(whole?.endedAt ?? horizon, start + 0.001);
  const extent = useMemo<Extent>(
    () => ({
      start,
      end,
      idle: compress && whole ? idleStretches(whole, { from: start, to: end }) : [],
    }),
    [start, end, compress, whole],
  );
  return useMemo(() => {
    if (!family) return null;
    const live = !past && family.endedAt === null;
    return { family, extent, until: at ?? family.endedAt ?? end, moment: at, live };
  }, [family, extent, at, end, past]);
}
