// Plans and subagents in the daemon's words. Ids of plans are unique within a run and are told with
// it; while a step runs, what the run says and does names it (`parentStepId`), which is a fact about
// what happened and not a place in a tree.
import type { EventHandlers } from "../../../kernel/events/event-table.ts";
import type { EventOf } from "../../../kernel/events/events.ts";
import { scoped } from "../../../kernel/dialect/call-index.ts";
import { NOTHING } from "../../../kernel/dialect/dialect.ts";
import type { DaemonEnvelope } from "./events.ts";
import { isSubagents, runOf, emit, toolUseIdOf, type DaemonState } from "./state.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

export const planTable = {
  "plan.created": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    const { plan_id, goal, steps } = event.payload;
    setStep(state, event, null);
    return emit(event, "stream.plan_created", {
      planId: scoped(event, plan_id),
      stepCount: steps.length,
      goal: preview(goal),
      steps: steps.map(({ index, name, description }) => ({ index, name, description })),
    });
  },

  "plan.step_started": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    setStep(state, event, stepIdOf(event));
    const { total, name } = event.payload;
    return emit(event, "stream.plan_step_started", {
      ...stepRef(event),
      totalSteps: total,
      stepName: name,
    });
  },

  "plan.step_completed": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    if (runOf(state, event)?.step === stepIdOf(event)) setStep(state, event, null);
    const { name, success, duration_ms, tokens_used } = event.payload;
    return emit(event, "stream.plan_step_completed", {
      ...stepRef(event),
      stepName: name,
      success,
      durationMs: Math.round(duration_ms),
      tokensUsed: tokens_used ?? 0,
    });
  },

  "plan.step_fallback": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    setStep(state, event, stepIdOf(event));
    const { approach, attempt } = event.payload;
    return emit(event, "stream.plan_step_fallback", {
      sessionId: event.session_id,
      ...stepRef(event),
      fallbackApproach: approach,
      attempt,
    });
  },

  "plan.replanned": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    setStep(state, event, null);
    const { plan_id, attempt, rationale, steps } = event.payload;
    return emit(event, "stream.plan_replanned", {
      planId: scoped(event, plan_id),
      replanAttempt: attempt,
      newStepCount: steps.length,
      rationale,
    });
  },

  "plan.completed": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    setStep(state, event, null);
    const { plan_id, success, duration_ms, steps_completed, total_steps } = event.payload;
    return emit(event, "stream.plan_completed", {
      planId: scoped(event, plan_id),
      success,
      totalDurationMs: Math.round(duration_ms),
      stepsCompleted: steps_completed,
      totalSteps: total_steps,
    });
  },

  "plan.escalated": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    setStep(state, event, null);
    const { plan_id, reason } = event.payload;
    return emit(event, "stream.plan_escalated", { planId: scoped(event, plan_id), reason });
  },

  "subagent.started": (event, state) => {
    const { child_run_id, call_id, title, prompt } = event.payload;
    const inner = isSubagents(state, event);
    // A subagent's subagent works for the same call of the root run.
    state.children[child_run_id] = toolUseIdOf(state, event, call_id) ?? "";
    return inner ? NOTHING : emit(event, "stream.subagent.start", { agentType: title, prompt });
  },

  "subagent.completed": (event, state) => {
    const inner = isSubagents(state, event);
    // Who was stopped with its run has not ended yet: it is a subagent's until its own end.
    return inner ? NOTHING : emit(event, "stream.subagent.end", { agentType: event.payload.title });
  },
} satisfies EventHandlers<[state: DaemonState], readonly DaemonEnvelope[]>;

type StepEvent = EventOf<"plan.step_started" | "plan.step_completed" | "plan.step_fallback">;

function stepRef(event: StepEvent) {
  const { plan_id, index } = event.payload;
  return { planId: scoped(event, plan_id), stepId: stepIdOf(event), stepIndex: index };
}

/** What `parentStepId` names too. After a replan a number may come again, for the step that counts now. */
function stepIdOf(event: StepEvent): string {
  return `${scoped(event, event.payload.plan_id)}:step:${event.payload.index}`;
}

function setStep(state: DaemonState, event: { run_id: string }, step: string | null): void {
  const run = runOf(state, event);
  if (run) run.step = step;
}
