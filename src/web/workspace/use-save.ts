// Saves a file as a run. The text stays until it is in the file.
import { useState } from "react";
import { manualCalls } from "../../kernel/client/calls/manual-calls.ts";
import type { FileText } from "../../kernel/api/records/records.ts";
import { directCall } from "../../kernel/events/direct.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { useApp, useCalls } from "../app-context.ts";
import { useLive } from "../session/use-session.ts";
import { useMutation } from "../use-mutation.ts";
import { useQuery, type Query } from "../use-query.ts";

export type Saving =
  | { readonly state: "idle" }
  | { readonly state: "waiting"; readonly behind: boolean }
  | { readonly state: "saved" }
  | { readonly state: "conflict"; readonly found: string | null } // the hash it has now
  | { readonly state: "failed"; readonly message: string };

export function useSave(sessionId: string, path: string) {
  const own = useCalls(manualCalls);
  const command = useMutation();
  const [runId, setRunId] = useState<string | null>(null);
  const run = useLive(({ runs }) => runs[runId ?? ""]);
  const saving: Saving = runId === null ? { state: "idle" } : savingOf(run);
  return {
    saving,
    busy: command.busy || saving.state === "waiting",
    problem: command.problem ?? (saving.state === "failed" ? saving.message : null),
    save: (content: string, expect: string | null) => {
      setRunId(null);
      const request = { path, content, expect };
      command.send(
        request,
        (command_id) => own.save(sessionId, { ...request, command_id }),
        ({ run_id }) => setRunId(run_id),
      );
    },
  };
}

export function savingOf(run: RunState | undefined): Saving {
  if (!run || run.status === "queued") return { state: "waiting", behind: true };
  const call = directCall(run);
  if (call?.status === "completed" || call?.status === "marked_done") return { state: "saved" };
  if (call?.error?.code === "conflict") {
    const { found } = (call.result ?? {}) as { found?: unknown };
    return { state: "conflict", found: typeof found === "string" ? found : null };
  }
  if (call?.error) return { state: "failed", message: call.error.message };
  if (!isTerminal(run.status)) return { state: "waiting", behind: false };
  return { state: "failed", message: run.error?.message ?? "It was stopped before it was saved." };
}

export function useText(sessionId: string, path: string): Query<FileText> {
  const { api } = useApp();
  return useQuery([sessionId, path], (signal) =>
    manualCalls(api.calls).text(sessionId, path, signal),
  );
}
