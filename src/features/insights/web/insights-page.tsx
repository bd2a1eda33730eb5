// Insights: totals compared with the period before, a daily chart, and a table by group.
import { useState } from "react";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { plural } from "../../../web/text/format.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { Choices } from "./choices.tsx";
import { DayChart } from "./day-chart.tsx";
import { isEmpty, type Measure, changeOf, MEANING, MEASURES, shownValue } from "./figures.ts";
import { GroupTable } from "./group-table.tsx";
import styles from "./insights.module.css";
import { insightCalls } from "../client.ts";
import type { InsightsView } from "../records.ts";
import { useApp } from "../../../web/app-context.ts";
import { useQuery } from "../../../web/use-query.ts";
import { askedIn, searchOf, type Asked } from "./asked.ts";
import { shownDay } from "./days.ts";

export function InsightsPage() {
  const { asked, ask, value: shown, problem, busy, refresh } = useInsights();
  return (
    <AdminPage
      name="insights"
      wide
      actions={
        <Button icon="again" tone="quiet" onClick={refresh} disabled={busy}>
          Refresh
        </Button>
      }
    >
      <Choices asked={asked} onAsk={ask} />
      <Problem text={problem} />
      {!shown && busy && <p className="muted appear">Loading…</p>}
      {shown && <Figures shown={shown} busy={busy} />}
    </AdminPage>
  );
}

function Figures({ shown, busy }: { shown: Shown; busy: boolean }) {
  const [measure, setMeasure] = useState<Measure>("tokens");
  const { days, groups } = shown;
  const { uncounted_runs: uncounted } = days;
  return (
    <div className={styles.figures} aria-busy={busy}>
      {uncounted > 0 && (
        <p className="p-l rounded warn-soft text-color" role="status">
          {plural(uncounted, "older run is", "older runs are")} still being counted. Figures may be
          too low.
        </p>
      )}
      {isEmpty(days) ? (
        <p className={styles.nothing}>
          No activity in this period or before it. Start a run, and it appears here at once.
        </p>
      ) : (
        <>
          <Totals view={days} measure={measure} onMeasure={setMeasure} />
          <DayChart view={days} measure={measure} />
          <GroupTable view={groups} measure={measure} />
        </>
      )}
    </div>
  );
}

// Loads the figures. The previous ones stay visible until the new ones arrive.
type Shown = { readonly days: InsightsView; readonly groups: InsightsView };

function useInsights() {
  const { api } = useApp();
  const [asked, setAsked] = useState<Asked>(() => askedIn(location.search));
  const read = async (signal: AbortSignal): Promise<Shown> => {
    const { insights } = insightCalls(api.calls);
    const [days, groups] = await Promise.all([
      insights("day", asked.period, signal),
      insights(asked.by, asked.period, signal),
    ]);
    return { days, groups };
  };
  const query = useQuery(["insights"], read, { version: asked });
  const ask = (next: Asked) => {
    history.replaceState(null, "", `${location.pathname}${searchOf(next)}`);
    setAsked(next);
  };
  return { ...query, asked, ask };
}

// The totals; a click selects the metric of the chart.
type TotalsProps = {
  view: InsightsView;
  measure: Measure;
  onMeasure: (measure: Measure) => void;
};

function Totals({ view, measure, onMeasure }: TotalsProps) {
  const { from, to, previous } = view;
  return (
    <section aria-labelledby="totals">
      <h2 id="totals">
        {shownDay(from)} to {shownDay(to)}
      </h2>
      <p className={styles.hint}>
        Compared with {shownDay(previous.from)} to {shownDay(previous.to)}. Days of {view.tz}.
      </p>
      <div className={styles.totals} role="group" aria-label="Which figure is shown by day">
        {MEASURES.map((each) => (
          <button
            key={each}
            type="button"
            className={styles.total}
            aria-pressed={each === measure}
            data-measure={each}
            onClick={() => onMeasure(each)}
          >
            <span className="hint">{MEANING[each].label}</span>
            <span className="bold break-anywhere text-l">{shownValue(each, view.totals)}</span>
            <Change view={view} measure={each} />
          </button>
        ))}
      </div>
    </section>
  );
}

function Change({ view, measure }: { view: InsightsView; measure: Measure }) {
  const change = changeOf(measure, view);
  return (
    <span className={styles.change} data-tone={change?.tone ?? "same"}>
      {change?.text ?? "cannot be compared"}
    </span>
  );
}
