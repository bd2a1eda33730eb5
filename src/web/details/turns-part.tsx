// Usage of each turn: bars and a table.
import { useMemo } from "react";
import { toArray } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { select } from "../session/selection.ts";
import { useRun } from "../session/use-session.ts";
import { duration, plural } from "../text/format.ts";
import styles from "./details.module.css";
import type { TurnEntry } from "./ledger.ts";
import { Part } from "./part.tsx";
import { costOf, count } from "./usage-part.tsx";
import { useLedger, useMoment } from "./use-moment.ts";

export function TurnsPart({ runId }: { runId: string }) {
  const turns = useLedger()[runId]?.turns;
  const listed = useMemo(() => (turns ? toArray(turns) : []), [turns]);
  if (listed.length === 0) return null;
  return (
    <Part title="Turns">
      <Bars turns={listed} of="tokens" />
      {listed.some(({ usage }) => (usage.cost_usd ?? 0) > 0) && <Bars turns={listed} of="cost" />}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reachable by key */}
      <div className={styles.scroll} tabIndex={0} role="group" aria-label="Turns as a table">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Turn</th>
              <th scope="col">Took</th>
              <th scope="col">In</th>
              <th scope="col">Out</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {listed.map((turn) => (
              <TurnRow key={turn.index} runId={runId} turn={turn} />
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  );
}

function TurnRow({ runId, turn }: { runId: string; turn: TurnEntry }) {
  const { index, seq, attempts, model, startedAt, endedAt, usage } = turn;
  const asked = useRun(runId, (run) => run.model);
  return (
    <tr data-turn={index}>
      <th scope="row">
        <button type="button" className={styles.link} onClick={() => select({ runId, seq })}>
          {index}
        </button>
        {attempts > 1 && <span className={styles.hint}> {plural(attempts, "attempt")}</span>}
        {model !== asked && <span className={styles.hint}> {visibleLine(model)}</span>}
      </th>
      <td>
        {endedAt === null ? <Going since={startedAt} /> : duration((endedAt - startedAt) * 1_000)}
      </td>
      <td>{count(usage.input_tokens)}</td>
      <td>{count(usage.output_tokens)}</td>
      <td>{usage.total_tokens === null ? "—" : costOf([usage])}</td>
    </tr>
  );
}

function Going({ since }: { since: number }) {
  const moment = useMoment();
  return <>{duration(Math.max(0, Math.floor(moment - since)) * 1_000)} …</>;
}

const HIGH = 40;
const WIDE = 10;
const MAX = 120; // bars thinner than a pixel or two say nothing: the newest stay

function Bars({ turns, of }: { turns: readonly TurnEntry[]; of: "tokens" | "cost" }) {
  const shown = turns.slice(-MAX);
  const amount = ({ usage }: TurnEntry) =>
    of === "cost" ? (usage.cost_usd ?? 0) : (usage.total_tokens ?? 0);
  const most = Math.max(...shown.map(amount), 0);
  const dearest = shown.find((turn) => amount(turn) === most) ?? shown[0];
  const words =
    of === "cost"
      ? `most in turn ${dearest?.index ?? 0}: ${dearest ? costOf([dearest.usage]) : ""}`
      : `most in turn ${dearest?.index ?? 0}: ${count(dearest?.usage.total_tokens ?? null)}`;
  return (
    <figure className={styles.chart} data-chart={of}>
      <figcaption>
        {of === "cost" ? "Cost" : "Tokens"} per turn <span>{words}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${Math.max(shown.length, 12) * WIDE} ${HIGH}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${of === "cost" ? "Cost" : "Tokens"} per turn, ${words}. The table below has the numbers.`}
      >
        {shown.map((turn, at) => (
          <Bar key={turn.index} turn={turn} at={at} scale={most > 0 ? HIGH / most : 0} of={of} />
        ))}
      </svg>
    </figure>
  );
}

type BarProps = { turn: TurnEntry; at: number; scale: number; of: "tokens" | "cost" };

function Bar({ turn: { usage }, at, scale, of }: BarProps) {
  const lower = of === "cost" ? (usage.cost_usd ?? 0) : (usage.input_tokens ?? 0);
  const upper = of === "cost" ? 0 : (usage.output_tokens ?? 0);
  const box = { x: at * WIDE + 1, width: WIDE - 2 };
  return (
    <>
      <rect
        {...box}
        y={HIGH - lower * scale}
        height={lower * scale}
        data-part={of === "cost" ? "cost" : "in"}
      />
      <rect {...box} y={HIGH - (lower + upper) * scale} height={upper * scale} data-part="out" />
    </>
  );
}
