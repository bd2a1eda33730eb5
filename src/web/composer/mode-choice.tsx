// Whether a message during a run waits in the queue or steers the run now.
import styles from "./composer.module.css";

export type Mode = "queue" | "steer";

export const OTHER_MODE: Record<Mode, Mode> = { queue: "steer", steer: "queue" };

const MODES: Record<Mode, { label: string; title: string }> = {
  queue: { label: "Queue", title: "Starts a run of its own when this one is over" },
  steer: { label: "Steer", title: "Reaches the running run before its next step" },
};

export function ModeChoice({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <fieldset className={styles.modes}>
      <legend className="visually-hidden">While the run is going on</legend>
      {(Object.keys(MODES) as Mode[]).map((value) => (
        <label
          key={value}
          title={MODES[value].title}
          data-status={value === mode ? "chosen" : "open"}
        >
          <input
            type="radio"
            name="mode"
            value={value}
            checked={value === mode}
            onChange={() => onChange(value)}
          />
          {MODES[value].label}
        </label>
      ))}
    </fieldset>
  );
}
