// The rows of the list: all events without a filter, otherwise those found so far.
import { useEffect, useMemo, useReducer } from "react";
import type { Recording } from "../../kernel/client/recording.ts";
import { useLive, useLiveStore, useWhole } from "../session/use-session.ts";
import { createFilter, isEverything, type Wanted } from "./filter.ts";

export type ShownEvents = {
  readonly recording: Recording;
  readonly count: number;
  /** session_seq of a row. */
  readonly seqAt: (row: number) => number;
  /** Row of a session_seq; -1: it is not shown. */
  readonly rowOf: (sessionSeq: number) => number;
  readonly searching: boolean;
};

const SLICE_MS = 8; // leaves a frame room to be drawn

/** `wanted` must keep its identity: another one begins from the first event. */
export function useShownEvents(wanted: Wanted): ShownEvents {
  useWhole();
  const { recording } = useLiveStore();
  const head = useLive(({ session }) => session.seq);
  const [, again] = useReducer((round: number) => round + 1, 0);
  const filter = useMemo(
    () => (isEverything(wanted) ? null : createFilter(wanted)),
    // A recording that was cleared begins anew, and so must the filter.
    // oxlint-disable-next-line react/exhaustive-deps
    [wanted, recording, head === 0],
  );
  useEffect(() => {
    if (!filter) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const step = () => {
      const before = filter.scanned;
      const over = filter.scan(recording, () => performance.now(), SLICE_MS);
      timer = over ? null : setTimeout(step, 0);
      if (filter.scanned !== before) again();
    };
    step();
    return () => {
      if (timer !== null) clearTimeout(timer);
    };
  }, [filter, recording, head]);
  if (!filter) {
    return {
      recording,
      count: head,
      seqAt: (row) => row + 1,
      rowOf: (seq) => (seq >= 1 && seq <= head ? seq - 1 : -1),
      searching: false,
    };
  }
  const { found } = filter;
  return {
    recording,
    count: found.length,
    seqAt: (row) => found[row] ?? 0,
    rowOf: (seq) => position(found, seq),
    searching: filter.scanned < head,
  };
}

function position(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value ? low : -1;
}
