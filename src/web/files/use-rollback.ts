// A rollback: a preview, then the rollback itself. Both are runs, so their state comes from the session's
// stream.
import { useState } from "react";
import { directCall } from "../../kernel/events/direct.ts";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { isTerminal, type RunStatus } from "../../kernel/state/run/status.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { useApp } from "../app-context.ts";
import { useLive } from "../session/use-session.ts";
import { useMutation } from "../use-mutation.ts";
import { rollbackResult, type RollbackResult } from "./rollback/result.ts";

export type Step =
  | { readonly state: "none" }
  | { readonly state: "waiting"; readonly status: RunStatus }
  | { readonly state: "answered"; readonly result: RollbackResult; readonly refused: string | null }
  | { readonly state: "failed"; readonly message: string };

/** A run with its subagents, one call, or (without both) the whole session. */
export type RollbackTarget = {
  readonly runId?: string | undefined;
  readonly checkpointId?: string | undefined;
};

export function useRollback(sessionId: string, target: RollbackTarget) {
  const { api } = useApp();
  const command = useMutation();
  const [previewId, setPreviewId] = useState<string | null>(null);
  const [rollbackId, setRollbackId] = useState<string | null>(null);
  const [paths, setPaths] = useState<readonly string[] | null>(null); // null: all of them
  type Request = { preview: boolean; only: readonly string[] | null };
  const ask = ({ preview, only }: Request, take: (runId: string | null) => void) => {
    const request = {
      ...(target.runId !== undefined && { run_id: target.runId }),
      ...(target.checkpointId !== undefined && { checkpoint_id: target.checkpointId }),
      ...(preview && { preview }),
      ...(only && { paths: [...only] }),
    };
    command.send(
      request,
      (command_id) => api.rollback(sessionId, { ...request, command_id }),
      ({ run_id }) => take(run_id),
    );
  };
  return {
    command,
    rollbackId,
    preview: useStep(previewId),
    rollback: useStep(rollbackId),
    look: (only: readonly string[] | null = paths) => {
      setPaths(only);
      setRollbackId(null);
      ask({ preview: true, only }, setPreviewId);
    },
    /** Exactly what was previewed. */
    carryOut: () => ask({ preview: false, only: paths }, setRollbackId),
  };
}

function useStep(runId: string | null): Step {
  const run = useLive(({ runs }) => runs[runId ?? ""]); // a rollback is about now
  return runId === null ? { state: "none" } : stepOf(run);
}

export function stepOf(run: RunState | undefined): Step {
  if (!run) return { state: "waiting", status: "queued" };
  const call = directCall(run);
  const result = call ? rollbackResult(call) : null;
  if (call && result && isSettled(call)) {
    return { state: "answered", result, refused: call.error?.message ?? null };
  }
  if (!isTerminal(run.status)) return { state: "waiting", status: run.status };
  const message =
    call?.error?.message ?? run.error?.message ?? "It was stopped before it was over.";
  return { state: "failed", message };
}

function isSettled({ status }: ToolItem): boolean {
  return status === "completed" || status === "failed";
}

/** Needs a preview with something to do and nothing that blocks it. */
export function isPossible(preview: Step): boolean {
  if (preview.state !== "answered") return false;
  return preview.result.conflicts.length === 0 && countOf(preview) > 0;
}

export function countOf(step: Step): number {
  if (step.state !== "answered") return 0;
  return step.result.restored.length + step.result.removed.length;
}

/** The files that nothing blocks. */
export function unblocked(files: readonly string[], step: Step): readonly string[] {
  if (step.state !== "answered" || step.result.conflicts.length === 0) return [];
  const blocked = new Set(step.result.conflicts.map(({ path }) => path));
  return files.filter((path) => !blocked.has(path));
}
