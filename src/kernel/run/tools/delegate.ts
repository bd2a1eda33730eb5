// Hands part of the work to a child run with a journal of its own. The child's id follows from the
// call's, so a recovered parent finds the child it started instead of starting another.
import { z } from "zod";
import type { Wake } from "../../journal/journal.ts";
import { lookUntil } from "../../journal/read/look-until.ts";
import { loadRun } from "../../journal/read/load-run.ts";
import type { Budget } from "../../events/catalogue/lifecycle.ts";
import { findTool, type RunState } from "../../state/run/state.ts";
import { budgetOf, remaining, usedBy } from "../loop/budget.ts";
import type { RunLog } from "../loop/run-log.ts";
import { defineTool, failure, textOutput, type Tool } from "./tool.ts";
import { narrowed } from "./toolset.ts";

const MAX_DEPTH = 3;

const Input = z.object({
  title: z.string().min(1).max(200),
  prompt: z.string().min(1).max(65_536).describe("All the subagent will know"),
  tools: z.array(z.string().max(200)).max(50).optional().describe("Only these tools"),
  max_tokens: z.int().positive().optional().describe("Ask the user beyond this many tokens"),
  max_tool_calls: z.int().positive().optional(),
});

/** A subagent never has more than its parent has left: the profile's limits count too. */
export function createDelegateTool(profileBudget: Budget | null): Tool {
  return defineTool({
    name: "delegate",
    description:
      "Let a subagent do a part of the work on its own and report back. Several in one step work " +
      "side by side.",
    input: Input,
    risk: "none",
    replay: "safe",
    label: ({ title }) => `Subagent: ${title}`,
    execute: async (input, { log, item, signal }) => {
      if (log.state.depth >= MAX_DEPTH) {
        return failure("too_deep", `Subagents may be nested ${MAX_DEPTH} deep at most.`);
      }
      // No tools at all would read as no restriction: a subagent never has what its parent has not.
      const toolsets = input.tools && narrowed(log.state.toolsets, input.tools);
      if (toolsets?.length === 0) {
        return failure("not_allowed", "A subagent can only have tools that you have: name some.");
      }
      const { title, prompt } = input;
      const childRunId = `${log.claim.runId}.${item.callId}`;
      const ids = { subagent_id: childRunId, child_run_id: childRunId, call_id: item.callId };
      if (item.childRunId === null) {
        const payload = { ...ids, title, prompt, depth: log.state.depth + 1 };
        await log.append([{ type: "subagent.started", payload }]);
      }
      await log.journal.startChild({
        runId: childRunId,
        parent: log.claim,
        message: prompt,
        title,
        budget: await childBudget(log, input, profileBudget),
        ...(toolsets && { toolsets }),
      });
      const child = await childEnd(log, childRunId, AbortSignal.any([signal, log.idle]));
      const summary = child.result ?? child.error?.message ?? "";
      const status = child.status as "completed" | "failed" | "cancelled" | "expired";
      if (log.state.subagents.some((s) => s.subagentId === childRunId && s.status === "running")) {
        const payload = { ...ids, title, status, summary: summary.slice(0, 2_000) };
        await log.append([{ type: "subagent.completed", payload }]);
      }
      return {
        ok: status === "completed",
        result: { child_run_id: childRunId, status },
        output: textOutput(summary.slice(0, 32_768)),
      };
    },
  });
}

/** An equal share of what is left among those that start together, or less if it was asked for. */
async function childBudget(
  log: RunLog,
  { max_tokens, max_tool_calls }: z.infer<typeof Input>,
  profileBudget: Budget | null,
): Promise<Budget | null> {
  const budget = budgetOf(log.state, profileBudget);
  const used = usedBy(log.state, await log.journal.reads.spent(log.claim.runId));
  const { budgetRaises: raises } = log.state;
  const left = budget && remaining(budget, { used, raises, ways: openDelegates(log.state) });
  const tokens = least(left?.tokens ?? null, max_tokens ?? null);
  const tool_calls = least(left?.tool_calls ?? null, max_tool_calls ?? null);
  const cost_usd = left?.cost_usd ?? null;
  const wall_s = left?.wall_s ?? null;
  const none = [tokens, tool_calls, cost_usd, wall_s].every((limit) => limit === null);
  return none ? null : { tokens, tool_calls, cost_usd, wall_s };
}

function least(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function openDelegates(state: RunState): number {
  const open = Object.keys(state.open).filter((id) => findTool(state, id)?.name === "delegate");
  return Math.max(1, open.length);
}

/** An aborted wait throws. The child goes on: only a cancelled parent ends it (run-loop.ts). */
async function childEnd(log: RunLog, childRunId: string, signal: AbortSignal): Promise<RunState> {
  const { journal } = log;
  const concerns = ({ logId }: Wake) => logId === childRunId;
  const ended = await lookUntil(journal, { concerns, signal }, async () => {
    const record = await journal.reads.run(childRunId);
    return record?.ended_at ? loadRun(journal, childRunId) : undefined;
  });
  if (!ended) signal.throwIfAborted();
  return ended as RunState;
}
