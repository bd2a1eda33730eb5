// The newest lines of a log, followed live. Bounded, so that a tab left open does not grow forever.
import { useEffect, useState } from "react";
import { toApiFailure } from "../../../kernel/client/api-failure.ts";
import type { LogQuery } from "../client.ts";
import type { LogLineRecord, LogsView } from "../records.ts";

const KEPT = 2_000;
const AGAIN_MS = 2_000;

export type ShownLog = {
  readonly lines: readonly LogLineRecord[] | null; // null: not read yet
  readonly kinds: LogsView["kinds"];
  readonly lost: boolean;
  readonly problem: string | null;
};
type Ask = (query: LogQuery, signal: AbortSignal) => Promise<LogsView>;
const NOTHING: ShownLog = { lines: null, kinds: [], lost: false, problem: null };

/** `ask` must be stable. */
export function useLog(
  ask: Ask,
  kind: LogQuery["kind"],
  level: LogQuery["level"],
  follow: boolean,
): ShownLog {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    const stop = new AbortController();
    const read = async () => {
      let after: string | undefined;
      while (!stop.signal.aborted) {
        try {
          const waits = after !== undefined;
          const view: LogsView = await ask({ kind, level, after, follow: waits }, stop.signal);
          const first = after === undefined;
          after = view.next;
          setShown((before) => withPage(first ? NOTHING : before, view));
          if (!follow) return;
        } catch (error) {
          if (stop.signal.aborted) return;
          const problem = toApiFailure(error).message;
          setShown((before) => ({ ...before, problem }));
          if (!follow) return;
          await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
        }
      }
    };
    void read();
    return () => stop.abort();
  }, [ask, kind, level, follow]);
  return shown;
}

function withPage(before: ShownLog, { lines, kinds, lost }: LogsView): ShownLog {
  const all = [...(before.lines ?? []), ...lines].slice(-KEPT);
  return { lines: all, kinds, lost: before.lost || lost, problem: null };
}
