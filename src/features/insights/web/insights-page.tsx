// What was used and done: totals beside those of as many days before, day by day, and by whoever did it.
import { useState } from "react";
import { AdminPage } from "../../../web/admin/admin-page.tsx";
import { plural } from "../../../web/text/format.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Problem } from "../../../web/ui/problem.tsx";
import { Choices } from "./choices.tsx";
import { DayChart } from "./day-chart.tsx";
import { isEmpty, type Measure } from "./figures.ts";
import { GroupTable } from "./group-table.tsx";
import styles from "./insights.module.css";
import { Totals } from "./totals.tsx";
import { useInsights, type Shown } from "./use-insights.ts";

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
          Nothing was done in these days or before them. Start a run, and it shows here at once.
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
