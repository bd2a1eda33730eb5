// Usage of the run with and without subagents, the context window, and the limits.
import { useMemo } from "react";
import type { Usage } from "../../kernel/events/catalogue/lifecycle.ts";
import { useRun, useSource } from "../session/use-session.ts";
import { dollars, elapsed, plural } from "../text/format.ts";
import styles from "./details.module.css";
import { isUnpriced, limitsOf, runTree, sumUsage, type Limit } from "./ledger.ts";
import { Meter, Part } from "./part.tsx";
import { useLedger } from "./use-moment.ts";

const TOKENS: readonly (readonly [keyof Usage, string])[] = [
  ["input_tokens", "Tokens in"],
  ["cached_tokens", "of them cached"],
  ["output_tokens", "Tokens out"],
  ["reasoning_tokens", "of them reasoning"],
  ["total_tokens", "Total"],
];

export function UsagePart({ runId }: { runId: string }) {
  const source = useSource();
  const ledger = useLedger();
  const own = useRun(runId, (run) => run.usage);
  const context = useRun(runId, (run) => run.context) ?? null;
  const tree = useMemo(
    () => ({ ledger, runs: runTree(source.getState().runs, runId) }).runs, // new whenever something was used
    [source, ledger, runId],
  );
  if (!own) return null;
  const all = tree.map(({ usage }) => usage);
  const columns = tree.length > 1 ? [[own], all] : [[own]];
  return (
    <Part title="Usage">
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">This run</th>
              {tree.length > 1 && <th scope="col">With {plural(tree.length - 1, "subagent")}</th>}
            </tr>
          </thead>
          <tbody>
            {TOKENS.map(([name, words]) => (
              <tr key={name} data-usage={name}>
                <th scope="row">{words}</th>
                {columns.map((used, index) => (
                  <td key={index}>{count(sumUsage(used)[name])}</td>
                ))}
              </tr>
            ))}
            <tr data-usage="cost_usd">
              <th scope="row">Cost</th>
              {columns.map((used, index) => (
                <td key={index}>{costOf(used)}</td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      {context && context.window !== null && (
        <Meter
          name="Context window"
          used={context.tokens}
          limit={context.window}
          words={`${count(context.tokens)} of ${count(context.window)} tokens`}
        />
      )}
      {context && context.window === null && (
        <p className={styles.hint}>
          {count(context.tokens)} tokens in the context; the model’s window is not known.
        </p>
      )}
      <Limits runId={runId} />
    </Part>
  );
}

const LIMIT_LABELS: Record<Limit["kind"], { name: string; of: (amount: number) => string }> = {
  tokens: { name: "Tokens allowed", of: (amount) => amount.toLocaleString("en") },
  cost_usd: { name: "Cost allowed", of: dollars },
  wall_s: { name: "Time allowed", of: (seconds) => elapsed(seconds * 1_000) },
  tool_calls: { name: "Tool calls allowed", of: (amount) => amount.toLocaleString("en") },
};

function Limits({ runId }: { runId: string }) {
  const source = useSource();
  const ledger = useLedger();
  const budget = useRun(runId, (run) => run.budget) ?? null;
  const raises = useRun(runId, (run) => run.budgetRaises) ?? 0;
  if (!budget) return <p className={styles.hint}>No limits were set for this run.</p>;
  const { runs } = source.getState();
  const run = runs[runId];
  const limits = run ? limitsOf(run, runTree(runs, runId), ledger) : [];
  return (
    <>
      {limits.map(({ kind, used, limit }) => (
        <Meter
          key={kind}
          name={LIMIT_LABELS[kind].name}
          used={used}
          limit={limit}
          words={`${LIMIT_LABELS[kind].of(used)} of ${LIMIT_LABELS[kind].of(limit)}`}
        />
      ))}
      {raises > 0 && <p className={styles.hint}>Raised {plural(raises, "time")} by a person.</p>}
    </>
  );
}

export function count(amount: number | null): string {
  return amount === null ? "—" : amount.toLocaleString("en");
}

/** Says so if some of the cost is unknown. */
export function costOf(used: readonly Usage[]): string {
  const { cost_usd } = sumUsage(used);
  if (!isUnpriced(used)) return cost_usd === null ? "—" : dollars(cost_usd);
  return cost_usd ? `${dollars(cost_usd)} and more: a price is unknown` : "price unknown";
}
