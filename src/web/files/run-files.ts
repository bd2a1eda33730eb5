// Files changed by a run and its subagents. A file that is back to its old content does not count.
import { useContext, useMemo } from "react";
import type { FileChange } from "../../kernel/events/catalogue/files.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { values } from "../../kernel/state/vector.ts";
import { SessionContext, useRun } from "../session/use-session.ts";

type Runs = Readonly<Record<string, RunState>>;
const NONE: readonly string[] = [];

export function filesOf(runs: Runs, runId: string): readonly string[] {
  const net = new Map<string, Pick<FileChange, "before" | "after">>();
  for (const run of Object.values(runs)) {
    if (run.rootRunId !== runId && run.runId !== runId) continue;
    for (const item of values(run.items)) {
      if (item.kind !== "tool") continue;
      for (const { path, before, after } of item.changes) {
        net.set(path, { before: net.has(path) ? (net.get(path)?.before ?? null) : before, after });
      }
    }
  }
  return [...net].filter(([, change]) => differs(change)).map(([path]) => path);
}

function differs({ before, after }: Pick<FileChange, "before" | "after">): boolean {
  return before?.sha256 !== after?.sha256 || before?.mode !== after?.mode;
}

/** Recomputed when the run changes; subagents end before it does. */
export function useFilesOf(runId: string): readonly string[] {
  const store = useContext(SessionContext);
  const run = useRun(runId, (state) => state);
  return useMemo(
    () => (store && run ? filesOf(store.getState().runs, runId) : NONE),
    [store, run, runId],
  );
}
