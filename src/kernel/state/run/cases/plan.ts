// Plans, to-dos and subagents in a run's state.
import type { EventHandlers } from "../../../events/event-table.ts";
import { asTool } from "./tool.ts";
import { updateOpen } from "../draft.ts";
import type { PlanState, RunDraft } from "../state.ts";

export const planCases = {
  "todo.updated": ({ payload }, draft) => {
    draft.todos = payload.items;
  },

  "plan.created": ({ payload, created_at }, draft) => {
    draft.plan = {
      planId: payload.plan_id,
      goal: payload.goal,
      status: "active",
      steps: pendingSteps(payload.steps),
      replans: 0,
      createdAt: created_at,
    };
  },

  "plan.step_started": ({ payload, created_at }, draft) =>
    changeStep(draft, payload, { status: "running", startedAt: created_at }),

  "plan.step_completed": ({ payload }, draft) =>
    changeStep(draft, payload, { status: payload.success ? "completed" : "failed" }),

  "plan.step_fallback": ({ payload, created_at }, draft) =>
    changeStep(draft, payload, {
      status: "running",
      startedAt: created_at,
      fallbacks: payload.attempt,
    }),

  "plan.replanned": ({ payload }, draft) => {
    if (draft.plan?.planId !== payload.plan_id) return;
    const finished = draft.plan.steps.filter(({ status }) => status === "completed");
    const steps = [...finished, ...pendingSteps(payload.steps)];
    draft.plan = { ...draft.plan, steps, replans: payload.attempt };
  },

  "plan.completed": ({ payload }, draft) =>
    endPlan(draft, payload.plan_id, payload.success ? "completed" : "failed"),

  "plan.escalated": ({ payload }, draft) => endPlan(draft, payload.plan_id, "escalated"),

  "subagent.started": ({ payload }, draft) => {
    const { subagent_id, child_run_id, title } = payload;
    draft.subagents = [
      ...draft.subagents,
      { subagentId: subagent_id, childRunId: child_run_id, title, status: "running", summary: "" },
    ];
    updateOpen(
      draft,
      payload.call_id,
      asTool((tool) => ({ ...tool, childRunId: child_run_id })),
    );
  },

  "subagent.completed": ({ payload }, draft) => {
    draft.subagents = draft.subagents.map((subagent) =>
      subagent.subagentId === payload.subagent_id
        ? { ...subagent, status: payload.status, summary: payload.summary }
        : subagent,
    );
  },
} satisfies EventHandlers<[draft: RunDraft], void>;

function pendingSteps(steps: readonly { step_id: string; name: string }[]): PlanState["steps"] {
  return steps.map(({ step_id, name }) => ({
    stepId: step_id,
    name,
    status: "pending",
    startedAt: null,
    fallbacks: 0,
  }));
}

function changeStep(
  draft: RunDraft,
  { plan_id, step_id }: { plan_id: string; step_id: string },
  change: Partial<PlanState["steps"][number]>,
): void {
  if (draft.plan?.planId !== plan_id) return;
  const steps = draft.plan.steps.map((step) =>
    step.stepId === step_id ? { ...step, ...change } : step,
  );
  draft.plan = { ...draft.plan, steps };
}

function endPlan(draft: RunDraft, planId: string, status: PlanState["status"]): void {
  if (draft.plan?.planId === planId) draft.plan = { ...draft.plan, status };
}
