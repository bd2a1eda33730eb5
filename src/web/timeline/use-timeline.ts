// What one timeline shows: the runs at the shown moment, on an axis of the whole time there is. The axis
// stands still while the scrubber moves, so that spans grow on it.
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
  /** Up to where what has not ended is drawn. */
  readonly until: number;
  /** The moment that is shown; null: now. */
  readonly moment: number | null;
  /** The clock moves it. */
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
