// All turns and plan steps of a run; the run state keeps only the newest turn.
import type { Fold } from "../../kernel/client/recording.ts";
import type { EventOf, EventType, RunEvent } from "../../kernel/events/events.ts";
import { emptyVector, get, last, push, set, type Vector } from "../../kernel/state/vector.ts";
import { own } from "../../kernel/events/own.ts";

/** Times in unix seconds; null: still running. */
export type Span = {
  readonly seq: number;
  readonly at: number;
  readonly endSeq: number | null;
  readonly endedAt: number | null;
};
export type TurnFacts = Span & {
  readonly turnId: string;
  readonly index: number;
  readonly attempt: number;
  readonly model: string;
  readonly phase: "running" | "over" | "superseded";
  readonly why: string | null; // it was cut
  readonly tokens: number | null;
  readonly costUsd: number | null;
};
export type StepFacts = Span & {
  readonly stepId: string;
  readonly planId: string;
  readonly name: string;
  readonly status: "running" | "completed" | "failed";
  readonly fallbacks: number;
};
export type RunOutline = {
  readonly turns: Vector<TurnFacts>;
  readonly steps: readonly StepFacts[];
};
export type Outline = Readonly<Record<string, RunOutline>>;

export const NO_OUTLINE: RunOutline = { turns: emptyVector(), steps: [] };

export const outline: Fold<Outline> = {
  empty: () => ({}),
  apply: (state, events) => {
    let next: Record<string, RunOutline> | undefined;
    for (const event of events) {
      const change = CASES[event.type] as ((event: RunEvent, run: RunOutline) => RunOutline) | null;
      if (!change || !Object.hasOwn(CASES, event.type)) continue;
      const before = own(next ?? state, event.run_id) ?? NO_OUTLINE;
      const after = change(event, before);
      if (after === before) continue;
      next ??= { ...state };
      next[event.run_id] = after;
    }
    return next ?? state; // tokens change nothing here
  },
};

type Cases = {
  readonly [Type in EventType]?: (event: EventOf<Type>, run: RunOutline) => RunOutline;
};

const CASES: Cases = {
  "turn.started": ({ seq, created_at, payload }, run) => ({
    ...run,
    turns: push(run.turns, {
      seq,
      at: created_at,
      endSeq: null,
      endedAt: null,
      turnId: payload.turn_id,
      index: payload.index,
      attempt: payload.attempt,
      model: payload.model,
      phase: "running",
      why: null,
      tokens: null,
      costUsd: null,
    }),
  }),
  "turn.completed": ({ seq, created_at, payload }, run) =>
    changeTurn(run, payload.turn_id, { phase: "over", endSeq: seq, endedAt: created_at }),
  "turn.superseded": ({ seq, created_at, payload }, run) =>
    changeTurn(run, payload.turn_id, {
      phase: "superseded",
      why: payload.message,
      endSeq: seq,
      endedAt: created_at,
    }),
  "usage.updated": ({ payload }, run) =>
    changeTurn(run, payload.turn_id, { tokens: payload.total_tokens, costUsd: payload.cost_usd }),

  "plan.step_started": ({ seq, created_at, payload }, run) => ({
    ...run,
    steps: [
      ...run.steps,
      {
        seq,
        at: created_at,
        endSeq: null,
        endedAt: null,
        stepId: payload.step_id,
        planId: payload.plan_id,
        name: payload.name,
        status: "running",
        fallbacks: 0,
      },
    ],
  }),
  "plan.step_completed": ({ seq, created_at, payload }, run) =>
    changeSteps(run, isStep(payload), {
      status: payload.success ? "completed" : "failed",
      endSeq: seq,
      endedAt: created_at,
    }),
  "plan.step_fallback": ({ payload }, run) =>
    changeSteps(run, isStep(payload), { fallbacks: payload.attempt }),
  "plan.replanned": (event, run) => endSteps(run, event, "failed"),
  "plan.completed": (event, run) =>
    endSteps(run, event, event.payload.success ? "completed" : "failed"),
  "plan.escalated": (event, run) => endSteps(run, event, "failed"),

  done: ({ seq, created_at }, run) => {
    const turn = last(run.turns);
    const ended = { endSeq: seq, endedAt: created_at };
    const closed =
      turn?.phase === "running" ? changeTurn(run, turn.turnId, { phase: "over", ...ended }) : run;
    return changeSteps(closed, ({ endSeq }) => endSeq === null, ended);
  },
};

/** Only the newest turns change. */
function changeTurn(run: RunOutline, turnId: string, change: Partial<TurnFacts>): RunOutline {
  const { turns } = run;
  for (let at = turns.length - 1; at >= Math.max(0, turns.length - 3); at -= 1) {
    const turn = get(turns, at);
    if (turn?.turnId === turnId) return { ...run, turns: set(turns, at, { ...turn, ...change }) };
  }
  return run;
}

const isStep = (payload: { plan_id: string; step_id: string }) => (step: StepFacts) =>
  step.stepId === payload.step_id && step.planId === payload.plan_id && step.endSeq === null;

function changeSteps(
  run: RunOutline,
  isMeant: (step: StepFacts) => boolean,
  change: Partial<StepFacts>,
): RunOutline {
  if (!run.steps.some(isMeant)) return run;
  const steps = run.steps.map((step) => (isMeant(step) ? { ...step, ...change } : step));
  return { ...run, steps };
}

function endSteps(
  run: RunOutline,
  { seq, created_at }: RunEvent,
  status: StepFacts["status"],
): RunOutline {
  const isOpen = ({ endSeq }: StepFacts) => endSeq === null;
  return changeSteps(run, isOpen, { status, endSeq: seq, endedAt: created_at });
}
