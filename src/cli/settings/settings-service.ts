// Settings over the network: config.json, profiles and keys of this home. A change is checked as a whole, recorded in
// the system log, and only then written: nothing changes without an audit entry.
import { hash } from "node:crypto";
import {
  checkedSettings,
  type Config,
  type KeyName,
  namesOurKey,
  UsageError,
} from "../../config.ts";
import { ProfileError } from "../../kernel/home/profile/error.ts";
import { changeProfileSettings, checkProfileChange } from "../../kernel/home/profile/settings.ts";
import { openProfiles } from "../../kernel/home/profiles.ts";
import { changeFile } from "../../kernel/home/replace-file.ts";
import { keepSecret, originOf, readSecrets } from "../../kernel/home/secrets.ts";
import type { SystemLog } from "../../kernel/journal/journal.ts";
import type {
  KeyRecord,
  SettingRecord,
  SettingsSection,
  SettingsView,
} from "../../kernel/api/records/settings.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import { nameOf, STORED_KEYS, urlOf, type StoredKey } from "../../kernel/run/models/stored-keys.ts";
import type { SettingsService } from "../../kernel/server/settings.ts";
import { profileSection } from "./profile-section.ts";
import { settingsNow, type SettingsNow } from "./settings-now.ts";
import { SETTINGS, type Settings } from "../../settings.ts";
import { choicesOf, kindOf, SECTIONS } from "../../kernel/api/setting.ts";

type Deps = {
  readonly config: Config;
  readonly systemLog: Pick<SystemLog, "note">;
  readonly supervised: boolean;
};
type Wanted = Parameters<SettingsService["change"]>[0];

export function settingsService(deps: Deps): SettingsService {
  const { config, systemLog } = deps;
  const { home } = config;
  const noted = (by: string, section: string, subject: string | null, changed: string[]) =>
    systemLog.note([{ type: "settings.changed", payload: { by, section, subject, changed } }]);
  const refuseOld = async (version: string | undefined) => {
    if (version === undefined || version === (await read(deps)).version) return;
    throw new ApiError(
      "conflict",
      "Somebody else changed the settings meanwhile. Read them again.",
    );
  };
  return {
    read: () => read(deps),
    async change({ section, subject, changes, version }, by) {
      await refuseOld(version);
      const names = Object.keys(changes);
      if (names.length === 0) throw new ApiError("invalid_request", "changes: nothing to change");
      try {
        if (section === "profile") {
          const profile = subject ?? config.profile;
          await checkProfileChange(home, profile, changes, namesOurKey);
          await noted(by, section, profile, names);
          await changeProfileSettings(home, profile, changes, namesOurKey);
        } else {
          await changeConfig(config, { section, changes }, () => noted(by, section, null, names));
        }
      } catch (error) {
        throw refusal(error);
      }
      return read(deps);
    },
    async setKey({ name, value }, by) {
      const key = STORED_KEYS.find((known) => nameOf(known) === name);
      if (!key)
        throw new ApiError("invalid_request", `name: one of ${STORED_KEYS.map(nameOf).join(", ")}`);
      if (config.givenKeys.has(key)) throw new ApiError("conflict", GIVEN);
      const url = urlOf(key, settingsNow(config).settings);
      if (value !== null && url === undefined) {
        throw new ApiError(
          "conflict",
          "Set the address first: a key is bound to the address it is for.",
        );
      }
      await noted(by, "keys", null, [name]);
      const secret = value && { value, origin: originOf(url), set_at: Date.now() / 1_000 };
      await keepSecret(home, name, secret || null);
      return read(deps);
    },
  };
}

const GIVEN = "This key comes from the environment of the server. Change it there.";

async function read(deps: Deps): Promise<SettingsView> {
  const { config, supervised } = deps;
  const now = settingsNow(config);
  const sections = Object.entries(SECTIONS)
    .map(([section, title]): SettingsSection => ({
      section,
      title,
      subject: null,
      applies: "restart",
      settings: settingsIn(section).map((each) => recordOf(now, each)),
      problem: now.problem,
    }))
    .filter(({ settings }) => settings.length > 0);
  for (const name of await openProfiles(config.home).list()) {
    sections.push(await profileSection(config.home, name));
  }
  const keys = keysOf(config, now.settings);
  const version = hash("sha256", JSON.stringify([sections, keys])).slice(0, 16);
  return { version, supervised, sections, keys };
}

type Known = (typeof SETTINGS)[number];
const settingsIn = (section: string) => SETTINGS.filter((each) => each.section === section);

const REACH = "It decides who or what can be reached. Change it where the server is started.";
const GIVEN_BY: Record<SettingRecord["source"], string | null> = {
  flag: "It is given by a flag of the server.",
  environment: "It is given by the environment of the server.",
  file: null,
  default: null,
};

function recordOf(now: SettingsNow, { name, schema, about, fixed, secret }: Known): SettingRecord {
  const source = now.sourceOf(name);
  const why = fixed ? REACH : GIVEN_BY[source];
  const value = now.settings[name] ?? null;
  return {
    name,
    kind: kindOf(schema),
    about,
    choices: fixed ? null : choicesOf(schema),
    source,
    editable: why === null,
    why,
    value: (secret ? value !== null : value) as SettingRecord["value"],
  };
}

type Change = Pick<Wanted, "section" | "changes">;

async function changeConfig(
  config: Config,
  { section, changes }: Change,
  note: () => Promise<unknown>,
) {
  const now = settingsNow(config);
  const known = settingsIn(section);
  if (known.length === 0)
    throw new ApiError("invalid_request", `section: there is no section ${section.slice(0, 64)}`);
  for (const name of Object.keys(changes)) {
    const setting = known.find((each) => each.name === name);
    if (!setting)
      throw new ApiError(
        "invalid_request",
        `There is no setting “${name.slice(0, 64)}” in ${section}.`,
      );
    const { editable, why } = recordOf(now, setting);
    if (!editable) throw new ApiError("forbidden", `“${name}” cannot be changed here. ${why}`);
  }
  refuseStrayKeys(config, changes);
  const next = (before: Record<string, unknown>) => {
    const merged: Record<string, unknown> = { ...before, ...changes };
    for (const [name, value] of Object.entries(changes)) if (value === null) delete merged[name];
    checkedSettings(merged);
    return merged;
  };
  if (now.file === null) throw new ApiError("conflict", now.problem ?? "");
  next(now.file); // refused before it is noted
  await note();
  const folder = { root: config.home, path: config.home };
  await changeFile({ folder, name: "config.json", limit: 1_048_576 }, (text) => {
    const before = text === undefined ? {} : (JSON.parse(text) as Record<string, unknown>);
    return { text: `${JSON.stringify(next(before), null, 2)}\n`, result: undefined };
  });
}

/** A key of the environment goes to the address it was given with: no page sends it elsewhere. */
function refuseStrayKeys(config: Config, changes: Wanted["changes"]): void {
  const moved = SETTINGS.flatMap(({ name, keys = [] }) => (name in changes ? keys : []));
  const stray = moved.find((name) => config.givenKeys.has(name as KeyName));
  if (stray === undefined) return;
  const problem = `The key “${stray}” was given in the environment for the present address. Change both there.`;
  throw new ApiError("forbidden", problem);
}

function keysOf(config: Config, settings: Settings): KeyRecord[] {
  const stored = readSecrets(config.home);
  return STORED_KEYS.map((key: StoredKey): KeyRecord => {
    const name = nameOf(key);
    const url = urlOf(key, settings);
    const address = originOf(url);
    if (config.givenKeys.has(key)) {
      return { name, present: true, source: "environment", origin: address, used: true, address };
    }
    const secret = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (!secret)
      return { name, present: false, source: "none", origin: null, used: false, address };
    const { origin } = secret;
    return { name, present: true, source: "page", origin, used: origin === address, address };
  });
}

function refusal(error: unknown): unknown {
  if (error instanceof UsageError) return new ApiError("invalid_request", error.message);
  if (error instanceof ProfileError) return new ApiError("invalid_request", error.message);
  return error;
}
