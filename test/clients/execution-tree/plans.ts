// Plans in the execution tree: all steps at once, each as it goes, and what a change of plan dropped.
import type { NodeFacts, NodeStatus } from "./nodes.ts";
import { isRecord } from "./checks.ts";
import { placeOf, withPlace } from "../../../src/kernel/state/id-map.ts";
import { given, numberIn, textIn, type Case, type Params } from "./params.ts";
import { leaveIteration } from "./scope.ts";
import {
  add,
  below,
  change,
  childrenOf,
  find,
  goesOn,
  isA,
  nearest,
  nodeAt,
  type TreeDraft,
} from "./store.ts";
import { count } from "./tools.ts";

export const planCases = {
  "stream.plan_created": (params, draft, at) => {
    const id = textIn(params, "planId");
    if (find(draft, id) !== undefined) return;
    const active = find(draft, draft.activeNodeId);
    const owner =
      nearest(draft, active, (node) => node.type === "turn" && goesOn(node)) ??
      nearest(draft, active, isA("session"));
    const plan = add(draft, owner, {
      id,
      type: "plan",
      status: "running",
      label: `plan: ${textIn(params, "goal")}`,
      startTime: at,
      metadata: {
        planId: id,
        stepCount: numberIn(params, "stepCount"),
        resumed: params["resumed"] === true,
        ...given(params, "resumedFromStep"),
      },
    });
    for (const step of stepsIn(params).map((each) => skeleton(id, each))) {
      if (find(draft, step.id) === undefined) addStep(draft, plan, step);
    }
  },

  "stream.plan_step_started": (params, draft, at) => {
    const id = stepNodeId(params);
    const known = placeOf(draft.steps, id);
    const plan = find(draft, textIn(params, "planId"));
    if (known === undefined && plan === undefined) return;
    leaveIteration(draft);
    const label = textIn(params, "stepName");
    if (known !== undefined && nodeAt(draft, known).status === "pending") {
      change(draft, known, (node) => ({ ...node, status: "running", label, startTime: at }));
      draft.activeNodeId = nodeAt(draft, known).id;
      return;
    }
    // Whatever stands under that number has a history of its own, which stays.
    const again = known !== undefined;
    const fresh = again ? `${id}:r${draft.nextSyntheticId}` : id;
    if (again) draft.nextSyntheticId += 1;
    const metadata = { ...given(params, "stepIndex", "totalSteps"), createdByReplan: again };
    const node = {
      id: fresh,
      type: "step",
      status: "running",
      label,
      startTime: at,
      metadata,
    } as const;
    const place = addStep(draft, plan, node);
    draft.steps = withPlace(draft.steps, id, place);
    draft.activeNodeId = fresh;
  },

  "stream.plan_step_completed": (params, draft, at) => {
    const plan = find(draft, textIn(params, "planId"));
    const place = runningStep(draft, plan, stepNodeId(params));
    if (place === undefined) return;
    const success = params["success"] === true;
    change(draft, place, (node) => ({
      ...node,
      status: success ? "completed" : "failed",
      endTime: at,
      duration: numberIn(params, "durationMs"),
      metadata: { ...node.metadata, ...given(params, "tokensUsed") },
    }));
    converge(draft, place, success);
    leaveIteration(draft);
    if (plan === undefined) return;
    const isNext = (each: number) => isPendingStep(nodeAt(draft, each));
    draft.activeNodeId = nodeAt(draft, childrenOf(draft, plan).find(isNext) ?? plan).id;
  },

  "stream.plan_step_fallback": (params, draft) => {
    const place = placeOf(draft.steps, stepNodeId(params));
    if (place === undefined) return;
    const fallback = { approach: params["fallbackApproach"], attempt: params["attempt"] };
    change(draft, place, (node) => ({ ...node, metadata: { ...node.metadata, fallback } }));
  },

  "stream.plan_replanned": (params, draft, at) => {
    const plan = find(draft, textIn(params, "planId"));
    if (plan === undefined) return;
    const steps = childrenOf(draft, plan).filter((each) => nodeAt(draft, each).type === "step");
    const open = steps.filter((each) => {
      const { status } = nodeAt(draft, each);
      return status !== "completed" && status !== "cancelled";
    });
    for (const step of open) change(draft, step, (node) => ({ ...node, status: "cancelled" }));
    const replanAttempt = numberIn(params, "replanAttempt");
    const { rationale, newStepCount } = params;
    const id = `${nodeAt(draft, plan).id}::replan-${replanAttempt}`;
    const metadata = { rationale, replanAttempt, cancelledStepCount: open.length, newStepCount };
    const label = `Replan #${replanAttempt}`;
    if (find(draft, id) === undefined) {
      add(draft, plan, { id, type: "replan", status: "completed", label, startTime: at, metadata });
    }
    change(draft, plan, (node) => ({
      ...node,
      metadata: { ...node.metadata, replanAttempt, replanRationale: rationale, newStepCount },
    }));
    leaveIteration(draft);
  },

  "stream.plan_completed": (params, draft, at) => {
    const plan = find(draft, textIn(params, "planId"));
    if (plan === undefined) return;
    const success = params["success"] === true;
    change(draft, plan, (node) => ({
      ...node,
      status: success ? "completed" : "failed",
      endTime: at,
      duration: numberIn(params, "totalDurationMs"),
      metadata: { ...node.metadata, ...given(params, "stepsCompleted", "totalSteps") },
    }));
    converge(draft, plan, success);
    leaveIteration(draft);
  },

  "stream.plan_escalated": (params, draft, at) => {
    const plan = find(draft, textIn(params, "planId"));
    if (plan === undefined) return;
    const error = textIn(params, "reason");
    change(draft, plan, (node) => ({ ...node, status: "failed", endTime: at, error }));
    converge(draft, plan, false);
    leaveIteration(draft);
  },
} satisfies Record<string, Case>;

type Step = { readonly index: number; readonly name: string; readonly description: unknown };

function stepsIn({ steps }: Params): Step[] {
  return (Array.isArray(steps) ? (steps as unknown[]) : []).flatMap((step) => {
    if (!isRecord(step)) return [];
    const { index, name, description } = step;
    return typeof index === "number" && typeof name === "string"
      ? [{ index, name, description }]
      : [];
  });
}

function skeleton(planId: string, { index, name, description }: Step): NodeFacts {
  const metadata = { stepIndex: index, description };
  return {
    id: `${planId}:step:${index}`,
    type: "step",
    status: "pending",
    label: name,
    metadata,
  };
}

function addStep(draft: TreeDraft, plan: number | undefined, node: NodeFacts): number {
  const place = add(draft, plan, node);
  draft.steps = withPlace(draft.steps, node.id, place);
  return place;
}

const stepNodeId = (params: Params): string =>
  `${textIn(params, "planId")}:step:${numberIn(params, "stepIndex")}`;

const isPendingStep = ({ type, status }: NodeFacts): boolean =>
  type === "step" && status === "pending";

/** The one that is named, if it runs; else whichever of the plan does. */
function runningStep(draft: TreeDraft, plan: number | undefined, id: string): number | undefined {
  const runs = (place: number) => isA("step")(nodeAt(draft, place)) && goesOn(nodeAt(draft, place));
  const named = placeOf(draft.steps, id);
  if (named !== undefined && runs(named)) return named;
  return plan === undefined ? undefined : childrenOf(draft, plan).find(runs);
}

/**
 * A scope that is over has nothing running in it, whatever was lost on the way: with its success it was
 * done, without it was dropped. What waits for a person goes on waiting.
 */
function converge(draft: TreeDraft, scope: number, success: boolean): void {
  const status: NodeStatus = success ? "completed" : "cancelled";
  for (const place of below(draft, scope)) {
    const node = nodeAt(draft, place);
    if (node.status !== "running") continue;
    if (node.type === "tool") count(draft, place, success ? "completed" : "failed");
    change(draft, place, (open) => ({ ...open, status }));
  }
}
