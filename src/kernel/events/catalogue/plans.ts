// Structure the agent gives its own work: to-dos, plans, subagents.
import { z } from "zod";
import { defineEvent } from "../event.ts";

export const TodoItem = z.object({
  id: z.string(),
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]),
});
export type TodoItem = z.infer<typeof TodoItem>;

export const PlanStep = z.object({
  step_id: z.string(),
  index: z.int().positive(),
  name: z.string(),
  description: z.string(),
});
const step = {
  plan_id: z.string(),
  step_id: z.string(),
  index: z.int().positive(),
  name: z.string(),
};

export const PLAN_EVENTS = [
  defineEvent(
    "todo.updated",
    { items: z.array(TodoItem) },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "plan.created",
    {
      plan_id: z.string(),
      goal: z.string(),
      steps: z.array(PlanStep),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "plan.step_started",
    { ...step, total: z.int() },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "plan.step_completed",
    {
      ...step,
      success: z.boolean(),
      duration_ms: z.number().nonnegative(),
      tokens_used: z.int().nullable(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "plan.step_fallback",
    {
      ...step,
      approach: z.string(),
      attempt: z.int().positive(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "plan.replanned",
    {
      plan_id: z.string(),
      attempt: z.int().positive(),
      rationale: z.string(),
      steps: z.array(PlanStep),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "plan.completed",
    {
      plan_id: z.string(),
      success: z.boolean(),
      steps_completed: z.int().nonnegative(),
      total_steps: z.int().nonnegative(),
      duration_ms: z.number().nonnegative(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "plan.escalated",
    {
      plan_id: z.string(),
      reason: z.string(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "subagent.started",
    {
      subagent_id: z.string(),
      child_run_id: z.string(),
      call_id: z.string(),
      title: z.string(),
      prompt: z.string(),
      depth: z.int().positive(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "subagent.completed",
    {
      subagent_id: z.string(),
      child_run_id: z.string(),
      call_id: z.string(),
      title: z.string(),
      status: z.enum(["completed", "failed", "cancelled", "expired"]),
      summary: z.string(),
    },
    { share: "all", search: false, work: "none" },
  ),
] as const;
