// The end of a live axis: a round time ahead, so that the axis rarely changes.
import { useEffect, useState } from "react";

const ROUND = [1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const SHORTEST = 5;

export function horizonOf(start: number, now: number): number {
  const length = Math.max(now - start, SHORTEST) * 1.05;
  const unit = 10 ** Math.floor(Math.log10(length));
  const round = ROUND.find((one) => one * unit >= length) ?? 10;
  return start + round * unit;
}

const present = () => Date.now() / 1_000;

/** Moves only while `live`. */
export function useHorizon(start: number, live: boolean): number {
  const [now, setNow] = useState(present);
  const end = horizonOf(start, now);
  useEffect(() => {
    if (!live) return;
    const timer = setTimeout(() => setNow(present()), Math.max(50, (end - present()) * 1_000));
    return () => clearTimeout(timer);
  }, [now, end, live]);
  return end;
}
