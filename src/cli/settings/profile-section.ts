// A profile's settings with the words people see.
import { ProfileError } from "../../kernel/home/profile-error.ts";
import { readProfileSettings } from "../../kernel/home/profile-settings.ts";
import { ProfileSettings } from "../../kernel/home/profile-schema.ts";
import type { SettingRecord, SettingsSection } from "../../kernel/api/records/settings.ts";

const WORDS: readonly Pick<SettingRecord, "name" | "kind" | "about">[] = [
  {
    name: "prompt",
    kind: "long text",
    about: "Who the agent is, in its own words; none: the usual.",
  },
  { name: "model", kind: "text", about: "provider/model; none: the server's." },
  { name: "tools", kind: "list", about: "Only these; none: all." },
  { name: "permissions", kind: "table", about: "Rules: allow, ask or deny, by tool and argument." },
  {
    name: "budget",
    kind: "table",
    about: "tokens, cost_usd, wall_s, tool_calls: at each it asks.",
  },
  {
    name: "approval_expires_s",
    kind: "number",
    about: "After so long a request is denied; none: never.",
  },
  {
    name: "mcp",
    kind: "table",
    about: "Servers of foreign tools. Secrets as ${NAME} of the environment.",
  },
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
    const settings = WORDS.map(({ name: field, kind, about: words }): SettingRecord => ({
      name: field,
      kind,
      about: words,
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
