// Settings of the server and its profiles. Secrets are write-only.
import { useMemo, useState } from "react";
import { toApiFailure } from "../../kernel/client/api-failure.ts";
import { settingsCalls } from "../../kernel/client/calls/settings-calls.ts";
import type { SettingsSection, SettingsView } from "../../kernel/api/records/settings.ts";
import { useApp } from "../app-context.ts";
import { useSystemQuery } from "../use-query.ts";
import form from "../ui/form.module.css";
import { Problem } from "../ui/problem.tsx";
import { KeyRow } from "./key-row.tsx";
import styles from "./server-settings.module.css";
import { SettingRow } from "./setting-row.tsx";

export function ServerSettings() {
  const { api } = useApp();
  const calls = useMemo(() => settingsCalls(api.calls), [api]);
  const { value, problem, refresh } = useSystemQuery(["settings"], calls.settings);
  const [saved, setSaved] = useState(false);
  const attempt = async (work: Promise<SettingsView>) => {
    try {
      await work;
      setSaved(true);
      refresh();
      return null;
    } catch (error) {
      return toApiFailure(error).message;
    }
  };
  if (!value) return <Problem text={problem} />;
  return (
    <>
      <Problem text={problem ?? fileProblem(value)} />
      <p role="status" className={form.hint}>
        {saved && describeApplied(value)}
      </p>
      <section className={form.section} aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        {value.keys.map((record) => (
          <KeyRow
            key={record.name}
            record={record}
            onGive={(name, key) => attempt(calls.setKey({ name, value: key }))}
          />
        ))}
      </section>
      {value.sections.map((section) => (
        <Section
          key={`${section.section} ${section.subject ?? ""}`}
          section={section}
          onSave={(name, next) =>
            attempt(
              calls.changeSettings({
                section: section.section,
                subject: section.subject,
                changes: { [name]: next },
              }),
            )
          }
        />
      ))}
    </>
  );
}

/** All server sections share one file, so its problem is shown once. */
function fileProblem({ sections }: SettingsView): string | null {
  return sections.find(({ subject }) => subject === null)?.problem ?? null;
}

function describeApplied({ supervised }: SettingsView): string {
  return supervised
    ? "Saved. Applying… (running sessions aren’t affected)"
    : "Saved. Server settings apply after a restart, profile settings from the next run.";
}

type SectionProps = {
  section: SettingsSection;
  onSave: Parameters<typeof SettingRow>[0]["onSave"];
};

function Section({
  section: { section, subject, title, settings, problem },
  onSave,
}: SectionProps) {
  const fixed = settings.length > 0 && settings.every(({ editable }) => !editable);
  return (
    <details className={styles.section} data-section={subject ?? section}>
      <summary>
        <h2>{title}</h2>
      </summary>
      <Problem text={subject === null ? null : problem} />
      {fixed && <p className={form.hint}>{settings[0]?.why}</p>}
      {settings.map((setting) => (
        <SettingRow key={setting.name} setting={setting} onSave={onSave} />
      ))}
    </details>
  );
}
