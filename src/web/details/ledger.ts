// Usage of each run by turn. Folds only usage events, so the page is not redrawn for every token.
import { eventByEvent, type Fold } from "../../kernel/client/recording.ts";
import type { Usage } from "../../kernel/events/catalogue/lifecycle.ts";
import type { EventOf, EventType, RunEvent } from "../../kernel/events/events.ts";
import { NO_USAGE, type RunState } from "../../kernel/state/run/state.ts";
import { emptyVector, get, push, set, type Vector } from "../../kernel/state/vector.ts";
import { own } from "../../kernel/events/own.ts";

export type TurnEntry = {
  readonly index: number;
  readonly seq: number; // of the event it began with
  readonly attempts: number; // more than one: it was cut and asked again
  readonly model: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly usage: Usage; // of all attempts: each was paid for
};
export type RecoveryEntry = {
  readonly seq: number;
  readonly at: number;
  readonly message: string;
};
export type RunLedger = {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly turns: Vector<TurnEntry>;
  readonly aside: Usage; // titles, summaries, goals: asked beside the turns
  readonly toolCalls: number;
  readonly recoveries: readonly RecoveryEntry[];
};
export type Ledger = Readonly<Record<string, RunLedger>>;

const EMPTY: RunLedger = {
  startedAt: null,
  endedAt: null,
  turns: emptyVector(),
  aside: NO_USAGE,
  toolCalls: 0,
  recoveries: [],
};

type Cases = {
  readonly [Type in EventType]?: (run: RunLedger, event: EventOf<Type>) => RunLedger;
};

const CASES: Cases = {
  "run.started": (run, { created_at }) => ({ ...run, startedAt: run.startedAt ?? created_at }),
  "turn.started": (run, { payload, seq, created_at }) => {
    const { index, attempt, model } = payload;
    const place = run.turns.length - 1;
    const newest = get(run.turns, place);
    if (newest?.index === index) {
      const again = { ...newest, attempts: attempt, model, endedAt: null };
      return { ...run, turns: set(run.turns, place, again) };
    }
    const begun = { index, seq, attempts: attempt, model, startedAt: created_at, endedAt: null };
    return { ...run, turns: push<TurnEntry>(run.turns, { ...begun, usage: NO_USAGE }) };
  },
  "turn.completed": (run, { created_at }) => endTurn(run, created_at),
  "turn.superseded": (run, { created_at }) => endTurn(run, created_at),
  "usage.updated": (run, { payload }) => {
    const index = Number(/^t(\d+)/.exec(payload.turn_id)?.[1] ?? 0);
    for (let place = run.turns.length - 1; place >= 0; place -= 1) {
      const turn = get(run.turns, place);
      if (turn?.index !== index) continue;
      const usage = sumUsage([turn.usage, payload]);
      return { ...run, turns: set(run.turns, place, { ...turn, usage }) };
    }
    return { ...run, aside: sumUsage([run.aside, payload]) };
  },
  "usage.final": (run) => ({ ...run }), // the run's own total may have changed
  "tool.started": (run) => ({ ...run, toolCalls: run.toolCalls + 1 }),
  recovery: (run, { payload, seq, created_at }) => {
    if (payload.handed_over === true) return run;
    const lost = { seq, at: created_at, message: payload.message };
    return { ...run, recoveries: [...run.recoveries, lost] };
  },
  done: (run, { created_at }) => ({ ...endTurn(run, created_at), endedAt: created_at }),
};

export const ledgerFold: Fold<Ledger> = {
  empty: () => ({}),
  apply: eventByEvent((ledger: Ledger, event: RunEvent) => {
    const handle = own(CASES, event.type);
    if (!handle) return ledger;
    const run = ledger[event.run_id] ?? EMPTY;
    const next = (handle as (run: RunLedger, event: RunEvent) => RunLedger)(run, event);
    return next === run ? ledger : { ...ledger, [event.run_id]: next };
  }),
};

function endTurn(run: RunLedger, at: number): RunLedger {
  const place = run.turns.length - 1;
  const turn = get(run.turns, place);
  if (!turn || turn.endedAt !== null) return run;
  return { ...run, turns: set(run.turns, place, { ...turn, endedAt: at }) };
}

/** Null means unknown, not zero. */
export function sumUsage(all: readonly Usage[]): Usage {
  const of = (name: keyof Usage) =>
    all.reduce<number | null>(
      (sum, { [name]: part }) => (part === null ? sum : (sum ?? 0) + part),
      null,
    );
  return {
    input_tokens: of("input_tokens"),
    output_tokens: of("output_tokens"),
    total_tokens: of("total_tokens"),
    reasoning_tokens: of("reasoning_tokens"),
    cached_tokens: of("cached_tokens"),
    cost_usd: of("cost_usd"),
  };
}

/** Some usage has no known price, so a sum would be too low. */
export function isUnpriced(all: readonly Usage[]): boolean {
  return all.some(({ total_tokens, cost_usd }) => (total_tokens ?? 0) > 0 && cost_usd === null);
}

/** The run and its subagents, in order of start. */
export function runTree(
  runs: Readonly<Record<string, RunState>>,
  rootRunId: string,
): readonly RunState[] {
  return Object.values(runs).filter((run) => run.rootRunId === rootRunId);
}

export type Limit = {
  readonly kind: "tokens" | "cost_usd" | "wall_s" | "tool_calls";
  readonly used: number;
  readonly limit: number;
};

/** Usage of each limit, including subagents; each "continue" grants the limit again. */
export function limitsOf(
  { budget, budgetRaises, activeSeconds }: RunState,
  tree: readonly RunState[],
  ledger: Ledger,
): readonly Limit[] {
  if (!budget) return [];
  const { total_tokens, cost_usd } = sumUsage(tree.map(({ usage }) => usage));
  const used = {
    tokens: total_tokens ?? 0,
    cost_usd: cost_usd ?? 0,
    wall_s: activeSeconds,
    tool_calls: tree.reduce((sum, { runId }) => sum + (ledger[runId]?.toolCalls ?? 0), 0),
  };
  return (Object.keys(used) as Limit["kind"][]).flatMap((kind) => {
    const limit = budget[kind];
    return limit === null ? [] : [{ kind, used: used[kind], limit: limit * (budgetRaises + 1) }];
  });
}
