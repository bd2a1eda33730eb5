// Writes docs/settings.md from the records of all settings. `node scripts/settings-doc.ts`, then commit it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECTIONS } from "../src/kernel/api/setting.ts";
import { Settings, SETTINGS } from "../src/settings.ts";

export const TARGET = join(import.meta.dirname, "../docs/settings.md");

const INTRO = `# Settings

Every setting has a name in \`config.json\` of the home; some have a flag or an environment variable, too. Flags win over the environment, which wins over the file. Written by \`node scripts/settings-doc.ts\` from the records in \`src/settings.ts\`; a test keeps it true.
`;
const HEAD = "| setting | default | flag, environment | |\n|---|---|---|---|";

const defaults: Readonly<Record<string, unknown>> = Settings.parse({});
const code = (text: string) => `\`${text}\``;

function row({ name, flag, env, about, fixed }: (typeof SETTINGS)[number]): string {
  const value = defaults[name];
  const ways = [
    flag && code([`--${flag.name}`, flag.value ?? ""].join(" ").trim()),
    env && code(env),
  ];
  const said = fixed ? `${about} *Only where the server is started.*` : about;
  const usual = value === undefined ? "" : code(JSON.stringify(value));
  return `| ${code(name)} | ${usual} | ${ways.filter(Boolean).join(", ")} | ${said} |`;
}

type Listed = typeof SETTINGS;
const section = (title: string, settings: Listed) =>
  settings.length === 0 ? [] : [`## ${title}`, "", HEAD, ...settings.map(row), ""].join("\n");

export function settingsDoc(): string {
  const shown = Object.entries(SECTIONS).flatMap(([name, title]) =>
    section(
      title,
      SETTINGS.filter((each) => each.section === name),
    ),
  );
  const hidden = SETTINGS.filter((each) => each.section === undefined);
  return [INTRO, ...shown, section("In the file only", hidden)].join("\n");
}

if (import.meta.main) writeFileSync(TARGET, settingsDoc());
