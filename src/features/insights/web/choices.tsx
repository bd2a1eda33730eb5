// Selects the period and the grouping.
import { Select } from "../../../web/ui/form.tsx";
import { shiftedDay, today } from "./days.ts";
import { GROUPS, PERIODS, type Asked, type Group } from "./asked.ts";
import styles from "./insights.module.css";

export const GROUP_LABELS: Readonly<Record<Group, string>> = {
  model: "Model",
  profile: "Profile",
  session: "Session",
  workspace: "Workspace",
  tool: "Tool",
};

export function Choices({ asked, onAsk }: { asked: Asked; onAsk: (asked: Asked) => void }) {
  const { period, by } = asked;
  const choosePeriod = (value: string) => {
    const days = Number(value);
    const last = { from: shiftedDay(today(), -29), to: today() };
    onAsk({ by, period: Number.isNaN(days) ? last : { days } });
  };
  return (
    <form className={styles.choices} onSubmit={(event) => event.preventDefault()}>
      <label className={styles.choice}>
        <span>Period</span>
        <select
          value={"days" in period ? String(period.days) : "other"}
          onChange={(event) => choosePeriod(event.target.value)}
        >
          {PERIODS.map((days) => (
            <option key={days} value={days}>
              Last {days} days
            </option>
          ))}
          <option value="other">Other days…</option>
        </select>
      </label>
      {"from" in period && <Dates asked={asked} period={period} onAsk={onAsk} />}
      <label className={styles.choice}>
        <span>Group by</span>
        <Select
          value={by}
          values={GROUPS}
          labelOf={(group) => GROUP_LABELS[group]}
          onChange={(group) => onAsk({ ...asked, by: group })}
        />
      </label>
    </form>
  );
}

type DatesProps = {
  asked: Asked;
  period: { readonly from: string; readonly to: string };
  onAsk: (asked: Asked) => void;
};

/** An emptied date field sends no query. */
function Dates({ asked, period, onAsk }: DatesProps) {
  const choose = (name: "from" | "to") => (event: { target: HTMLInputElement }) => {
    const { value } = event.target;
    if (value !== "") onAsk({ ...asked, period: { ...period, [name]: value } });
  };
  return (
    <>
      <label className={styles.choice}>
        <span>First day</span>
        <input type="date" required value={period.from} max={period.to} onChange={choose("from")} />
      </label>
      <label className={styles.choice}>
        <span>Last day</span>
        <input type="date" required value={period.to} min={period.from} onChange={choose("to")} />
      </label>
    </>
  );
}
