// Plans and to-dos: structure for people to follow. Nothing outside the journal changes.
import { z } from "zod";
import { TodoItem } from "../../events/catalogue/plans.ts";
import type { Draft } from "../../events/events.ts";
import type { PlanState } from "../../state/run/state.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

export const todoTool = defineTool({
  name: "todo",
  description: "Show the user the list of things to do, as a whole, whenever it changes.",
  input: z.object({ items: z.array(TodoItem).max(100) }),
  risk: "none",
  replay: "safe",
  inOrder: true,
  label: ({ items }) => `To do: ${items.length} items`,
  execute: async ({ items }, { log }) => {
    await log.append([{ type: "todo.updated", payload: { items } }]);
    return { ok: true, result: { todos: items } };
  },
});

const PlanInput = z.object({
  action: z.enum([
    "create",
    "step_started",
    "step_completed",
    "step_fallback",
    "replan",
    "complete",
    "escalate",
  ]),
  goal: z.string().max(2_000).optional(),
  steps: z.array(z.string().min(1).max(500)).min(1).max(50).optional(),
  index: z.int().min(1).optional().describe("Which step, counting from 1"),
  success: z.boolean().optional(),
  reason: z
    .string()
    .max(2_000)
    .optional()
    .describe("Of a fallback: the other approach; of a replan or an escalation: why"),
});
type PlanInput = z.infer<typeof PlanInput>;

export const planTool = defineTool({
  name: "plan",
  description:
    "Make a plan of named steps and keep it true: mark steps started and completed, say when a step " +
    "is tried another way (step_fallback), replace what is left of the plan (replan), complete it, " +
    "or hand it to the user (escalate).",
  input: PlanInput,
  risk: "none",
  replay: "safe",
  inOrder: true,
  label: ({ action, goal, index }) =>
    action === "create" ? `Plan: ${goal ?? ""}` : `${action} ${index ?? ""}`,
  execute: (input, context) => ACTIONS[input.action](input, context),
});

const ACTIONS: Record<
  PlanInput["action"],
  (input: PlanInput, context: ToolContext) => Promise<ToolResult>
> = {
  create: async ({ goal = "", steps = [] }, { log, item }) => {
    const plan_id = `plan_${item.callId}`;
    const payload = { plan_id, goal, steps: namedSteps(plan_id, steps, 0) };
    return record(log, { type: "plan.created", payload }, { plan_id });
  },
  step_started: ({ index }, context) =>
    onStep(context, index, (plan, step) => ({
      type: "plan.step_started",
      payload: { ...step, total: plan.steps.length },
    })),
  step_completed: ({ index, success = true }, context) =>
    onStep(context, index, (plan, step) => {
      const started = plan.steps[step.index - 1]?.startedAt ?? context.log.state.updatedAt;
      const duration_ms = Math.max(0, (context.log.state.updatedAt - started) * 1000);
      return {
        type: "plan.step_completed",
        payload: { ...step, success, duration_ms, tokens_used: null },
      };
    }),
  step_fallback: ({ index, reason = "" }, context) =>
    onStep(context, index, (plan, step) => ({
      type: "plan.step_fallback",
      payload: {
        ...step,
        approach: reason,
        attempt: (plan.steps[step.index - 1]?.fallbacks ?? 0) + 1,
      },
    })),
  replan: async ({ steps = [], reason = "" }, { log, item }) => {
    const { plan } = log.state;
    if (!plan) return noPlan();
    const finished = plan.steps.filter(({ status }) => status === "completed").length;
    const payload = {
      plan_id: plan.planId,
      attempt: plan.replans + 1,
      rationale: reason,
      steps: namedSteps(`${plan.planId}:${item.callId}`, steps, finished),
    };
    return record(log, { type: "plan.replanned", payload }, { steps: steps.length });
  },
  escalate: async ({ reason = "" }, { log }) => {
    const { plan } = log.state;
    if (!plan) return noPlan();
    const payload = { plan_id: plan.planId, reason };
    return record(log, { type: "plan.escalated", payload }, { escalated: true });
  },
  complete: async ({ success = true }, { log }) => {
    const { plan, updatedAt } = log.state;
    if (!plan) return noPlan();
    const steps_completed = plan.steps.filter(({ status }) => status === "completed").length;
    const payload = {
      plan_id: plan.planId,
      success,
      steps_completed,
      total_steps: plan.steps.length,
      duration_ms: Math.max(0, (updatedAt - plan.createdAt) * 1000),
    };
    return record(log, { type: "plan.completed", payload }, { steps_completed });
  },
};

async function onStep(
  { log }: ToolContext,
  index: number | undefined,
  draft: (
    plan: PlanState,
    step: { plan_id: string; step_id: string; index: number; name: string },
  ) => Draft,
): Promise<ToolResult> {
  const { plan } = log.state;
  const step = index === undefined ? undefined : plan?.steps[index - 1];
  if (!plan || !step || index === undefined) return noPlan();
  const named = { plan_id: plan.planId, step_id: step.stepId, index, name: step.name };
  return record(log, draft(plan, named), { index });
}

function namedSteps(prefix: string, names: readonly string[], after: number) {
  return names.map((name, at) => ({
    step_id: `${prefix}:step:${after + at + 1}`,
    index: after + at + 1,
    name,
    description: "",
  }));
}

async function record(log: ToolContext["log"], draft: Draft, result: unknown): Promise<ToolResult> {
  await log.append([draft]);
  return { ok: true, result };
}

function noPlan(): ToolResult {
  const error = { code: "no_such_step", message: "There is no plan with that step." };
  return { ok: false, result: null, error };
}
