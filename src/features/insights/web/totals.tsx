// The totals; a click selects the metric of the chart.
import type { InsightsView } from "../records.ts";
import { shownDay } from "./days.ts";
import { changeOf, MEANING, MEASURES, shownValue, type Measure } from "./figures.ts";
import styles from "./insights.module.css";

type TotalsProps = {
  view: InsightsView;
  measure: Measure;
  onMeasure: (measure: Measure) => void;
};

export function Totals({ view, measure, onMeasure }: TotalsProps) {
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
            <span className={styles.value}>{shownValue(each, view.totals)}</span>
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
