// A profile's settings as the settings page shows them.
import { kindOf } from "../../kernel/api/setting.ts";
import { ProfileError } from "../../kernel/home/profile/error.ts";
import { readProfileSettings } from "../../kernel/home/profile/settings.ts";
import { PROFILE_SETTINGS, ProfileSettings } from "../../kernel/home/profile/schema.ts";
import type { SettingRecord, SettingsSection } from "../../kernel/api/records/settings.ts";

const FIELDS: readonly Pick<SettingRecord, "name" | "kind" | "about">[] = [
  {
    name: "prompt",
    kind: "long text",
    about: "Who the agent is, in its own words; none: the usual.",
  },
  ...Object.entries(PROFILE_SETTINGS).map(([name, { schema, about }]) => ({
    name,
    kind: kindOf(schema),
    about,
  })),
];

export async function profileSection(home: string, name: string): Promise<SettingsSection> {
  const about = {
    section: "profile",
    subject: name,
    title: `Profile ${name}`,
    applies: "next run",
  } as const;
  try {
    const said = await readProfileSettings(home, name);
    const usual: Record<string, unknown> = { ...ProfileSettings.parse({}), prompt: "" };
    const settings = FIELDS.map(({ name: field, ...shown }): SettingRecord => ({
      name: field,
      ...shown,
      value: (said[field] ?? usual[field] ?? null) as SettingRecord["value"],
      source: Object.hasOwn(said, field) && said[field] !== "" ? "file" : "default",
      editable: true,
      why: null,
      choices: null,
    }));
    return { ...about, settings, problem: null };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    return { ...about, settings: [], problem: error.message };
  }
}
