// The settings of the next start: the file's present values beneath flags and environment. If the file is broken, the
// values that this process was started with count.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkedSettings, type Config } from "../../config.ts";
import { errnoOf } from "../../kernel/home/profile/error.ts";
import type { SettingRecord } from "../../kernel/api/records/settings.ts";
import { Settings } from "../../settings.ts";

type File = Readonly<Record<string, unknown>>;
export type SettingsNow = {
  readonly settings: Settings;
  readonly sourceOf: (name: keyof Settings) => SettingRecord["source"];
  /** Null when it is no JSON: whoever wrote over it would lose what somebody is writing there. */
  readonly file: File | null;
  /** Why nothing could be started with it. */
  readonly problem: string | null;
};

export function settingsNow(config: Config): SettingsNow {
  let file: File | null = null;
  try {
    file = readConfigFile(config.home);
    const settings = asStarted(config, file);
    return { settings, sourceOf: sourcesOf(config, file), file, problem: null };
  } catch (error) {
    const why = (error as Error).message.replace(/\.$/, "");
    const problem = `config.json cannot be used: ${why}. Shown is what counts until it is put right.`;
    return { settings: config, sourceOf: config.sourceOf, file, problem };
  }
}

/** Empty when there is none: everything is as it is by itself. */
function readConfigFile(home: string): File {
  try {
    return JSON.parse(readFileSync(join(home, "config.json"), "utf8")) as File;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return {};
    throw error;
  }
}

function asStarted(config: Config, file: File): Settings {
  const all = Object.keys(Settings.shape) as (keyof Settings)[]; // also those that have no default
  const fixed = all.filter((name) => ["flag", "environment"].includes(config.sourceOf(name)));
  const kept = Object.fromEntries(fixed.map((name) => [name, config[name]]));
  const settings = checkedSettings({ ...file, ...kept });
  return { ...settings, workspace: settings.workspace ?? config.workspace };
}

function sourcesOf(config: Config, file: File): SettingsNow["sourceOf"] {
  return (name) => {
    const source = config.sourceOf(name);
    if (source === "flag" || source === "environment") return source;
    return Object.hasOwn(file, name) ? "file" : "default";
  };
}
