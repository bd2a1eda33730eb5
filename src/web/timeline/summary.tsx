// Where the time went; the parts add up to the whole.
import { useMemo } from "react";
import { useSession } from "../session/use-session.ts";
import { dollars, duration, elapsed } from "../text/format.ts";
import { useNow } from "../ui/use-now.ts";
import { criticalPath, type PathLane } from "./critical-path.ts";
import type { Family } from "./family.ts";
import styles from "./timeline.module.css";
import type { Timeline } from "./use-timeline.ts";

const PARTS: readonly { lane: PathLane; word: string; why: string }[] = [
  { lane: "model", word: "Model", why: "The run waited for the model" },
  { lane: "tools", word: "Tools", why: "The run waited for tools" },
  { lane: "person", word: "You", why: "The run waited for a person" },
  { lane: "queue", word: "Queue", why: "The run waited for its turn, or for a runner" },
  { lane: "between", word: "Other", why: "Preparing calls, writing the journal" },
];

export function Summary({ timeline }: { timeline: Timeline }) {
  return timeline.live ? <LiveSums timeline={timeline} /> : <Sums {...timeline} />;
}

function LiveSums({ timeline: { family } }: { timeline: Timeline }) {
  const now = useNow(1_000);
  return <Sums family={family} until={now / 1_000} live />;
}

type SumsProps = { readonly family: Family; readonly until: number; readonly live: boolean };

function Sums({ family, until, live }: SumsProps) {
  const { seconds, wall } = useMemo(() => criticalPath(family, until), [family, until]);
  const said = (amount: number) => (live ? elapsed : duration)(amount * 1_000);
  return (
    <dl className={styles.summary} aria-label="Where the time went">
      <div>
        <dt>Wall time</dt>
        <dd>{said(wall)}</dd>
      </div>
      {PARTS.map(({ lane, word, why }) => (
        <div key={lane} data-lane={lane} title={why}>
          <dt>{word}</dt>
          <dd>{said(seconds[lane])}</dd>
        </div>
      ))}
      <Cost family={family} />
    </dl>
  );
}

function Cost({ family }: { family: Family }) {
  const runs = useSession((view) => view.runs);
  let cost: number | null = null;
  for (const runId of family.lines.keys()) {
    const usd = runs[runId]?.usage.cost_usd ?? null;
    if (usd !== null) cost = (cost ?? 0) + usd;
  }
  if (cost === null) return null; // no price is known: no number is better than a wrong one
  return (
    <div>
      <dt>Cost</dt>
      <dd>{dollars(cost)}</dd>
    </div>
  );
}
