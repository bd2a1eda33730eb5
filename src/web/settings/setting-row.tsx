// One setting: value, source, and a field if it is editable.
import { useState, type FormEvent } from "react";
import type { SettingRecord } from "../../kernel/api/records/settings.ts";
import { Button } from "../ui/button.tsx";
import { Problem } from "../ui/problem.tsx";
import form from "../ui/form.module.css";
import styles from "./server-settings.module.css";
import { textOf, valueOf } from "./setting-value.ts";

const SOURCES: Record<SettingRecord["source"], string> = {
  default: "default",
  file: "set here",
  environment: "from the environment",
  flag: "from a flag",
};

type Save = (name: string, value: SettingRecord["value"]) => Promise<string | null>;

export function SettingRow({ setting, onSave }: { setting: SettingRecord; onSave: Save }) {
  const { name, about, source, editable, why } = setting;
  const id = `setting-${name}`;
  return (
    <div className={styles.row} data-setting={name}>
      <label htmlFor={editable ? id : undefined} className="bold">
        {words(name)} <span className={form.hint}>({SOURCES[source]})</span>
      </label>
      <p className={form.hint}>{about}</p>
      {editable ? (
        <Field id={id} setting={setting} onSave={onSave} />
      ) : (
        <p className="small mono pre-wrap" title={why ?? ""}>
          {textOf(setting, setting.value) || "not set"}
        </p>
      )}
    </div>
  );
}

/** Typed text stays until it is saved; outside changes only replace an untouched field. */
function Field({ id, setting, onSave }: { id: string; setting: SettingRecord; onSave: Save }) {
  const shown = textOf(setting, setting.value);
  const { text, changed, setText, saved } = useTyped(shown);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async (value: SettingRecord["value"]) => {
    setBusy(true);
    const refused = await onSave(setting.name, value);
    if (refused === null) saved(text);
    setProblem(refused);
    setBusy(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = valueOf(setting, text);
    if ("problem" in read) setProblem(read.problem);
    else void save(read.value);
  };
  return (
    <form className={styles.field} onSubmit={submit}>
      <Control
        id={id}
        setting={setting}
        text={text}
        onText={setText}
        onSave={(value) => void save(value)}
      />
      {changed && (
        <span className="flex gap-m">
          <Button type="submit" tone="primary" disabled={busy}>
            Save
          </Button>
          <Button type="button" onClick={() => setText(shown)}>
            Cancel
          </Button>
        </span>
      )}
      {!changed && setting.source === "file" && (
        <Button type="button" tone="quiet" disabled={busy} onClick={() => void save(null)}>
          Reset to default
        </Button>
      )}
      <Problem text={problem} />
    </form>
  );
}

/** `saved`: the text was sent, and the server may return it in another form. */
function useTyped(shown: string) {
  const [typed, setTyped] = useState<string | null>(null); // null: untouched
  const [sent, setSent] = useState<string | null>(null);
  const [before, setBefore] = useState(shown);
  if (shown !== before) {
    setBefore(shown);
    setSent(null);
    if (typed === sent || typed === shown) setTyped(null);
  }
  return {
    text: typed ?? shown,
    changed: typed !== null,
    setText: (text: string) => setTyped(text === shown ? null : text),
    saved: setSent,
  };
}

type ControlProps = {
  id: string;
  setting: SettingRecord;
  text: string;
  onText: (text: string) => void;
  onSave: (value: SettingRecord["value"]) => void;
};

function Control({ id, setting, text, onText, onSave }: ControlProps) {
  const { kind, choices, value } = setting;
  if (kind === "switch") {
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={() => onSave(value !== true)}
      />
    );
  }
  if (kind === "choice") {
    return (
      <select id={id} value={text} onChange={(event) => onText(event.target.value)}>
        {choices?.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  if (kind === "text" || kind === "number") {
    return (
      <input
        id={id}
        value={text}
        inputMode={kind === "number" ? "decimal" : "text"}
        onChange={(event) => onText(event.target.value)}
      />
    );
  }
  return (
    <textarea id={id} value={text} rows={4} onChange={(event) => onText(event.target.value)} />
  );
}

function words(name: string): string {
  const text = name.replaceAll("_", " ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
