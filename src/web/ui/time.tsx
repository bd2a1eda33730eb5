// Relative time, with the exact time on hover.
import { exactTime, relativeTime } from "../text/format.ts";
import { useNow } from "./use-now.ts";

export function Time({ at }: { at: number }) {
  const now = useNow(30_000);
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}
