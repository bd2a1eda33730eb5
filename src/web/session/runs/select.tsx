import styles from "./select.module.css";
import { choiceLabel, type RunChoice } from "./choices.ts";

type RunSelectProps = {
  label: string;
  choices: readonly RunChoice[];
  value: string | null;
  none?: string; // words for no choice yet
  onChange: (runId: string) => void;
};

export function RunSelect({ label, choices, value, none, onChange }: RunSelectProps) {
  const known = choices.some(({ runId }) => runId === value);
  return (
    <select
      className={styles.select}
      aria-label={label}
      value={known && value !== null ? value : ""}
      onChange={({ target }) => {
        if (target.value !== "") onChange(target.value);
      }}
    >
      {!known && <option value="">{none ?? "Choose a run"}</option>}
      {choices.map((choice) => (
        <option key={choice.runId} value={choice.runId}>
          {choiceLabel(choice)}
        </option>
      ))}
    </select>
  );
}
