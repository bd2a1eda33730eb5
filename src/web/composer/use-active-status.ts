// The status of the run the composer would stop or reach.
import type { RunStatus } from "../../kernel/state/run/run-status.ts";
import { useLive } from "../session/use-session.ts";

export function useActiveStatus(runId: string | null): RunStatus | undefined {
  return useLive(({ runs }) => (runId === null ? undefined : runs[runId]?.status));
}
