// Stops a run. "Stopping" lasts until the runner confirms, because it may still act.
import { useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import type { RunStatus } from "../../kernel/state/run/status.ts";
import { useApp } from "../app-context.ts";
import { newId } from "../new-id.ts";

type Asked = { runId: string; problem: string | null };

export function useStop(runId: string | null, status: RunStatus | undefined) {
  const { api } = useApp();
  const [asked, setAsked] = useState<Asked | null>(null);
  const mine = asked !== null && asked.runId === runId ? asked : null;
  const stopping = status === "cancelling" || (mine !== null && mine.problem === null);

  const stop = () => {
    if (runId === null || stopping) return;
    setAsked({ runId, problem: null });
    api.cancelRun(runId, { command_id: newId("cmd") }).then(
      (outcome) => {
        if (!outcome.accepted && outcome.status !== "not_active") {
          setAsked({ runId, problem: outcome.safe_message });
        }
      },
      (error: unknown) => setAsked({ runId, problem: toApiFailure(error).message }),
    );
  };
  return { stop, stopping, problem: mine?.problem ?? null };
}
