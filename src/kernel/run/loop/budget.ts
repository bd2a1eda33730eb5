// Reaching a budget asks a person instead of failing. Only the journaled usage of a run and its subagents counts;
// "continue" grants the same amount once more.
import { BUDGET_CONTINUE, BUDGET_STOP, budgetRequestId } from "../../events/budget.ts";
import type { SpentRecord } from "../../api/records/records.ts";
import type { Budget } from "../../events/catalogue/lifecycle.ts";
import type { Draft } from "../../events/events.ts";
import type { RunState } from "../../state/run/state.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import type { RunLog } from "./run-log.ts";

type Used = { readonly [Key in keyof Budget]: number };
const WORDS: Record<keyof Budget, (amount: number) => string> = {
  tokens: (amount) => `${Math.round(amount).toLocaleString("en")} tokens`,
  cost_usd: (amount) => `$${amount.toFixed(4)}`,
  wall_s: (amount) => `${Math.round(amount)} s of running`,
  tool_calls: (amount) => `${amount} tool calls`,
};
const KINDS = Object.keys(WORDS) as (keyof Budget)[];

/** The run's own limits over its profile's, each by itself. Undefined when there are none. */
export function budgetOf(state: RunState, profile: Budget | null): Budget | undefined {
  const merged = Object.fromEntries(
    KINDS.map((kind) => [kind, state.budget?.[kind] ?? profile?.[kind] ?? null]),
  ) as Budget;
  return KINDS.some((kind) => merged[kind] !== null) ? merged : undefined;
}

export function usedBy(state: RunState, spent: SpentRecord): Used {
  const { tokens, cost_usd, tool_calls } = spent;
  return { tokens, cost_usd, tool_calls, wall_s: state.activeSeconds };
}

/** What is left, shared by `ways`: for subagents that start side by side. */
export function remaining(
  budget: Budget,
  { used, raises, ways }: { used: Used; raises: number; ways: number },
): Budget {
  const share = (kind: keyof Budget) => {
    const limit = budget[kind];
    if (limit === null) return null;
    const left = Math.max(limit * (raises + 1) - used[kind], 0) / ways;
    return kind === "tokens" || kind === "tool_calls"
      ? Math.max(1, Math.floor(left))
      : left || 1e-9;
  };
  return {
    tokens: share("tokens"),
    cost_usd: share("cost_usd"),
    wall_s: budget.wall_s === null ? null : Math.max(1, (share("wall_s") ?? 0) * ways),
    tool_calls: share("tool_calls"),
  };
}

type Reach = { used: Used; raises: number; calls: number; unpriced: boolean };

/** In words, what is used up; undefined while there is room for `calls` more tool calls. */
export function reached(
  budget: Budget,
  { used, raises, calls, unpriced }: Reach,
): string | undefined {
  // What has no known price would never reach a limit of cost: that is asked about, once.
  if (unpriced && budget.cost_usd !== null && raises === 0) return "a model of unknown price";
  const over = KINDS.filter((kind) => {
    const limit = budget[kind];
    if (limit === null) return false;
    const allowed = limit * (raises + 1);
    return kind === "tool_calls" ? used[kind] + calls > allowed : used[kind] >= allowed;
  });
  if (over.length === 0) return undefined;
  const words = over.map((kind) => {
    const limit = (budget[kind] ?? 0) * (raises + 1);
    return usedUp(kind, used[kind], limit);
  });
  return words.join(", ");
}

export function usedUp(kind: keyof Budget, used: number, limit: number): string {
  return `${WORDS[kind](used)} of ${WORDS[kind](limit)}`;
}

export function askDrafts(clarify_id: string, what: string): Draft[] {
  return [
    {
      type: "clarify.requested",
      payload: {
        clarify_id,
        call_id: null,
        question: `This run has used ${what}. Go on with as much again?`,
        choices: [BUDGET_CONTINUE, BUDGET_STOP],
        input_mode: "choice",
        expires_at: null,
      },
    },
    statusDraft("awaiting_clarify", "budget"),
  ];
}

/** False: a person said stop. Asks as long as something is used up; waiting survives any restart. */
export async function withinBudget(
  log: RunLog,
  profile: Budget | null,
  { calls }: { calls: number },
): Promise<boolean> {
  const budget = budgetOf(log.state, profile);
  if (!budget) return true;
  for (;;) {
    const id = budgetRequestId(log.claim.runId, log.state.budgetRaises);
    while (log.state.pending[id]) await log.nextChange();
    if (log.state.budgetStopped) return false;
    const spent = await log.journal.reads.spent(log.claim.runId);
    const { budgetRaises: raises } = log.state;
    const used = usedBy(log.state, spent);
    const what = reached(budget, { used, raises, calls, unpriced: spent.unpriced });
    if (what === undefined) return true;
    if (budgetRequestId(log.claim.runId, raises) !== id) continue; // answered just now
    await log.append(askDrafts(id, what));
  }
}
