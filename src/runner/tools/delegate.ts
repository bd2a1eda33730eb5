// Hands part of the work to a child run with a journal of its own. The child's id follows from the
// call's, so a recovered parent finds the child it started instead of starting another.
import { z } from "zod";
import { loadRun } from "../../journal/load-run.ts";
import type { RunState } from "../../protocol/run-state.ts";
import type { RunLog } from "../run-log.ts";
import { defineTool, textOutput } from "./tool.ts";

const MAX_DEPTH = 3;

export const delegateTool = defineTool({
  name: "delegate",
  description: "Let a subagent do a part of the work on its own and report back.",
  input: z.object({
    title: z.string().min(1).max(200),
    prompt: z.string().min(1).max(65_536),
  }),
  risk: "none",
  replay: "safe",
  label: ({ title }) => `Subagent: ${title}`,
  execute: async ({ title, prompt }, { log, item, signal }) => {
    if (log.state.depth >= MAX_DEPTH) {
      const message = `Subagents may be nested ${MAX_DEPTH} deep at most.`;
      return { ok: false, result: null, error: { code: "too_deep", message } };
    }
    const childRunId = `${log.claim.runId}.${item.callId}`;
    const subagent = {
      subagent_id: childRunId,
      child_run_id: childRunId,
      call_id: item.callId,
      title,
    };
    if (item.childRunId === null) {
      const depth = log.state.depth + 1;
      await log.append([{ type: "subagent.started", payload: { ...subagent, prompt, depth } }]);
    }
    await log.journal.startChild({ runId: childRunId, parent: log.claim, message: prompt });
    const child = await childEnd(log, childRunId, signal);
    const summary = child.result ?? child.error?.message ?? "";
    const status = child.status as "completed" | "failed" | "cancelled" | "expired";
    if (log.state.subagents.some((s) => s.subagentId === childRunId && s.status === "running")) {
      const payload = { ...subagent, status, summary: summary.slice(0, 2_000) };
      await log.append([{ type: "subagent.completed", payload }]);
    }
    const ok = status === "completed";
    return {
      ok,
      result: { child_run_id: childRunId, status },
      output: textOutput(summary.slice(0, 32_768)),
    };
  },
});

async function childEnd(log: RunLog, childRunId: string, signal: AbortSignal): Promise<RunState> {
  const { journal } = log;
  const { promise: aborted, resolve: stop } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stop(), { once: true });
  let wake = Promise.withResolvers<void>();
  const unwatch = journal.watch((hint) => {
    if (hint === "all" || hint.logId === childRunId) wake.resolve();
  });
  try {
    for (;;) {
      wake = Promise.withResolvers();
      const record = await journal.run(childRunId);
      if (record?.ended_at) return (await loadRun(journal, childRunId)) as RunState;
      await Promise.race([wake.promise, aborted]);
      signal.throwIfAborted(); // the child goes on: only a cancelled parent ends it (run-loop.ts)
    }
  } finally {
    unwatch();
  }
}
