// Whether a message during a run waits in the queue or steers the run now.
import styles from "./composer.module.css";

export type Mode = "queue" | "steer";

export const OTHER_MODE: Record<Mode, Mode> = { queue: "steer", steer: "queue" };

const MODES: Record<Mode, { label: string; title: string }> = {
  queue: { label: "Queue", title: "Starts a new run when this one has ended" },
  steer: { label: "Steer", title: "Reaches the running run before its next step" },
};

export function ModeChoice({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <fieldset className={styles.modes}>
      <legend className="visually-hidden">During a run</legend>
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
