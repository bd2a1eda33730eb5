// Totals of a run including its subagents.
import type { RunState } from "../../../kernel/state/run/state.ts";
import { isTerminal, type RunStatus } from "../../../kernel/state/run/status.ts";
import { values } from "../../../kernel/state/vector.ts";

export type Totals = {
  readonly status: RunStatus;
  readonly error: string | null;
  readonly model: string;
  readonly durationMs: number | null; // null: it goes on
  readonly turns: number;
  readonly calls: number;
  readonly failed: number; // calls
  readonly subagents: number;
  readonly tokens: number | null; // null: nobody counted
  readonly costUsd: number | null;
};

type Runs = Readonly<Record<string, RunState>>;

export function totalsOf(runs: Runs, runId: string): Totals | null {
  const run = runs[runId];
  if (!run) return null;
  const below = run.subagents.flatMap(({ childRunId }) => totalsOf(runs, childRunId) ?? []);
  const tools = [...values(run.items)].filter((item) => item.kind === "tool");
  const sum = (own: number, of: (total: Totals) => number) =>
    below.reduce((so, total) => so + of(total), own);
  const known = (own: number | null, of: (total: Totals) => number | null) => {
    const counted = [own, ...below.map(of)].filter((count) => count !== null);
    return counted.length === 0 ? null : counted.reduce((so, count) => so + count, 0);
  };
  return {
    status: run.status,
    error: run.error?.message ?? null,
    model: run.model,
    durationMs: isTerminal(run.status) ? (run.updatedAt - run.createdAt) * 1_000 : null,
    turns: sum(run.turns, ({ turns }) => turns),
    calls: sum(tools.length, ({ calls }) => calls),
    failed: sum(tools.filter(({ status }) => status === "failed").length, ({ failed }) => failed),
    subagents: sum(run.subagents.length, ({ subagents }) => subagents),
    tokens: known(run.usage.total_tokens, ({ tokens }) => tokens),
    costUsd: known(run.usage.cost_usd, ({ costUsd }) => costUsd),
  };
}
