// Settings that most schedules keep: delivery, session, and what to do when late.
import { Select, TextField } from "../../../web/ui/form.tsx";
import type { CronJobsView } from "../records.ts";
import form from "../../../web/ui/form.module.css";
import { CATCH_UP_LABELS, OVERLAP_LABELS } from "./labels.ts";
import type { CronTexts } from "./texts.ts";
import styles from "./page.module.css";

type CronMoreProps = {
  view: CronJobsView;
  texts: CronTexts;
  set: (change: Partial<CronTexts>) => void;
};

export function CronMore({ view, texts, set }: CronMoreProps) {
  return (
    <details className={styles.more}>
      <summary>Delivery, session and what happens when it is late</summary>
      <div className={styles.grid}>
        <Deliver view={view} texts={texts} set={set} />
        <Text
          label="Session"
          field="session"
          texts={texts}
          set={set}
          hint="new: one each time; own: always the same; or the id of one"
        />
        <Text
          label="Skills"
          field="skills"
          texts={texts}
          set={set}
          hint="names, separated by commas"
        />
        <Text label="Model" field="model" texts={texts} set={set} hint="as for new sessions" />
        <Text label="Profile" field="profile" texts={texts} set={set} hint="as for new sessions" />
        <Text
          label="Workspace"
          field="workspace"
          texts={texts}
          set={set}
          hint="as for new sessions"
        />
        <Choice
          label="Times that were missed"
          words={CATCH_UP_LABELS}
          chosen={texts.catch_up}
          onChange={(catch_up) => set({ catch_up })}
        />
        <Choice
          label="While the one before still runs"
          words={OVERLAP_LABELS}
          chosen={texts.overlap}
          onChange={(overlap) => set({ overlap })}
        />
        <Text
          label="On time until (seconds late)"
          field="grace_s"
          texts={texts}
          set={set}
          hint="60"
        />
        <Text
          label="Budget (tokens)"
          field="tokens"
          texts={texts}
          set={set}
          hint="as for new sessions"
        />
      </div>
    </details>
  );
}

function Deliver({ view, texts, set }: CronMoreProps) {
  const places = ["local", ...view.channels.map((id) => `channel:${id}:`), ...view.messengers];
  return (
    <label className={form.field}>
      <span>Deliver the answer to</span>
      <input
        list="cron-places"
        value={texts.deliver}
        maxLength={300}
        spellCheck={false}
        placeholder="local"
        onChange={(event) => set({ deliver: event.target.value })}
      />
      <datalist id="cron-places">
        {places.map((place) => (
          <option key={place} value={place} />
        ))}
      </datalist>
      <span className="hint">
        local: its session; channel:terminal-dev:&lt;device&gt;; telegram, slack:C123
      </span>
    </label>
  );
}

type Field = Exclude<keyof CronTexts, "catch_up" | "overlap" | "allow_risky" | "limits">;
type TextProps = Omit<CronMoreProps, "view"> & { label: string; field: Field; hint: string };

function Text({ label, field, texts, set, hint }: TextProps) {
  return (
    <TextField
      label={label}
      value={texts[field]}
      maxLength={4_096}
      spellCheck={false}
      placeholder={hint}
      onChange={(value) => set({ [field]: value })}
    />
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  words: Readonly<Record<Value, string>>;
  chosen: Value;
  onChange: (value: Value) => void;
};

function Choice<Value extends string>({ label, words, chosen, onChange }: ChoiceProps<Value>) {
  return (
    <label className={form.field}>
      <span>{label}</span>
      <Select
        className={styles.select}
        value={chosen}
        values={Object.keys(words) as Value[]}
        labelOf={(value) => words[value]}
        onChange={onChange}
      />
    </label>
  );
}
