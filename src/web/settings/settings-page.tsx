// Appearance, notifications, server settings and version. Settings of one session are in its own sheet.
import { useApp } from "../app-context.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { AdminPage } from "../admin/admin-page.tsx";
import form from "../ui/form.module.css";
import { Notifications } from "../../features/push/web/notifications.tsx";
import { ServerSettings } from "./server-settings.tsx";
import styles from "./settings-page.module.css";
import { changeLook, CONTRASTS, SCHEMES, useLook, type Contrast, type Scheme } from "./theme.ts";

const SCHEME_LABELS: Record<Scheme, string> = {
  system: "System",
  light: "Light",
  dark: "Dark",
};
const CONTRAST_LABELS: Record<Contrast, string> = {
  system: "System",
  normal: "Normal",
  more: "High contrast",
};

export function SettingsPage() {
  return (
    <AdminPage name="settings">
      <Appearance />
      <Notifications />
      <ServerSettings />
      <About />
    </AdminPage>
  );
}

function Appearance() {
  const { scheme, contrast } = useLook();
  return (
    <section className={form.section} aria-labelledby="appearance">
      <h2 id="appearance">Appearance</h2>
      <Choice
        legend="Colours"
        name="scheme"
        values={SCHEMES}
        words={SCHEME_LABELS}
        chosen={scheme}
        onChange={(value) => changeLook({ scheme: value })}
      />
      <Choice
        legend="Contrast"
        name="contrast"
        values={CONTRASTS}
        words={CONTRAST_LABELS}
        chosen={contrast}
        onChange={(value) => changeLook({ contrast: value })}
      />
    </section>
  );
}

type ChoiceProps<Value extends string> = {
  legend: string;
  name: string;
  values: readonly Value[];
  words: Record<Value, string>;
  chosen: Value;
  onChange: (value: Value) => void;
};

function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { legend, name, values, words, chosen, onChange } = props;
  return (
    <fieldset className={styles.choice}>
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value} className={form.check}>
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            onChange={() => onChange(value)}
          />
          {words[value]}
        </label>
      ))}
    </fieldset>
  );
}

function About() {
  const { status } = useApp();
  if (!status) return null;
  const { version, epoch, workspace, sandbox, runners, model } = status;
  const facts = [
    ["Version", version],
    ["Model of new sessions", visibleLine(model.label)],
    ["Workspace", visibleLine(workspace)],
    ["Sandbox", sandbox === "none" ? "None: tools run unsandboxed" : sandbox],
    ["Runners", String(runners.length)],
    ["Journal", epoch],
  ] as const;
  return (
    <section className={form.section} aria-labelledby="about">
      <h2 id="about">This server</h2>
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
