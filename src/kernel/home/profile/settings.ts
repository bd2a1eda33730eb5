// A profile's settings as people change them: read with secrets masked, changed by name, checked as a whole before
// anything is written. Values of servers' environments and headers may be secrets: only references are shown.
import { own } from "../../events/own.ts";
import { ProfileError } from "./error.ts";
import { profileFolder, profilesFolder, readText, NAME, NAME_RULE } from "./files.ts";
import { join } from "node:path";
import { problemOf, ProfileSettings } from "./schema.ts";
import { changeFile } from "../replace-file.ts";
import { originOf } from "../secrets.ts";

export const MASK = "***";
const [SETTINGS, PROMPT, MAX_BYTES] = ["profile.json", "prompt.md", 65_536];
const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

export type ShownProfile = ProfileSettingsInput & { readonly prompt: string };
type ProfileSettingsInput = Readonly<Record<string, unknown>>;

export async function readProfileSettings(home: string, name: string): Promise<ShownProfile> {
  const folder = folderOf(home, name);
  const text = await readText(folder, SETTINGS, MAX_BYTES);
  const prompt = (await readText(folder, PROMPT, MAX_BYTES)) ?? "";
  return { ...masked(parsedText(text, folder.path)), prompt };
}

type Changes = Readonly<Record<string, unknown>>;
/** Whether a value refers to a key of this program's own. */
type IsOurs = (value: string) => boolean;
type Context = { readonly path: string; readonly isOurs: IsOurs };

/** Throws a ProfileError where the change would be refused. */
export async function checkProfileChange(
  home: string,
  name: string,
  changes: Changes,
  isOurs: IsOurs,
) {
  const folder = folderOf(home, name);
  const { prompt, ...rest } = changes;
  if (prompt !== undefined && prompt !== null && typeof prompt !== "string") {
    throw new ProfileError("broken", folder.path, "“prompt”: not a text");
  }
  nextText(await readText(folder, SETTINGS, MAX_BYTES), rest, { path: folder.path, isOurs });
}

/** `changes` by name; null: as if it had never been said. Throws a ProfileError and changes nothing. */
export async function changeProfileSettings(
  home: string,
  name: string,
  changes: Changes,
  isOurs: IsOurs,
): Promise<void> {
  const folder = folderOf(home, name);
  const { prompt, ...rest } = changes;
  if (Object.keys(rest).length > 0) {
    await changeFile({ folder, name: SETTINGS, limit: MAX_BYTES }, (text) => ({
      text: nextText(text, rest, { path: folder.path, isOurs }),
      result: undefined,
    }));
  }
  if (prompt !== null && typeof prompt !== "string") return;
  await changeFile({ folder, name: PROMPT, limit: MAX_BYTES }, () => ({
    text: prompt === null ? "" : prompt,
    result: undefined,
  }));
}

function folderOf(home: string, name: string) {
  if (!NAME.test(name)) {
    throw new ProfileError("invalid_name", JSON.stringify(name.slice(0, 80)), `use ${NAME_RULE}`);
  }
  return profileFolder(join(profilesFolder(home).path, name));
}

function parsedText(text: string | undefined, path: string): Record<string, unknown> {
  if (text === undefined || text.trim() === "") return {};
  try {
    return ProfileSettings.partial().parse(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    throw new ProfileError("broken", path, `${SETTINGS} is not right; mend it by hand first`);
  }
}

function nextText(text: string | undefined, changes: Changes, context: Context): string {
  const { path } = context;
  const next = withChanges(parsedText(text, path), changes, context);
  const checked = ProfileSettings.safeParse(next);
  if (!checked.success) throw new ProfileError("broken", path, problemOf(checked.error));
  return `${JSON.stringify(next, null, 2)}\n`;
}

function withChanges(before: Record<string, unknown>, changes: Changes, context: Context) {
  const next: Record<string, unknown> = { ...before, ...changes };
  for (const [key, value] of Object.entries(changes)) if (value === null) delete next[key];
  if (changes["mcp"]) next["mcp"] = unmasked(changes["mcp"], before["mcp"], context);
  return next;
}

type Servers = Record<string, Record<string, unknown>>;
const SECRET_FIELDS = ["env", "headers"];

function masked(settings: Record<string, unknown>): Record<string, unknown> {
  const servers = (settings["mcp"] ?? {}) as Servers;
  const mcp = eachValue(servers, (value) => (REFERENCE.test(value) ? value : MASK));
  return { ...settings, mcp };
}

/**
 * What came back as it was shown is what it was, for the server it was entered for: one that is elsewhere now, or
 * another program, gets neither that nor a key of ours (SE3).
 */
function unmasked(given: unknown, before: unknown, { path, isOurs }: Context): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const servers = given as Servers;
  return eachValue(servers, (value, [server, field, name]) => {
    if (value !== MASK && !isOurs(value)) return value;
    const old = own((before ?? {}) as Servers, server);
    const known = old && own((old[field] ?? {}) as Record<string, unknown>, name);
    const same = old !== undefined && whereTo(old) === whereTo(own(servers, server) ?? {});
    if (same && typeof known === "string" && (value === MASK || value === known)) return known;
    const problem = value === MASK ? "enter it again, it is not kept for this server" : OURS;
    throw new ProfileError("broken", path, `“mcp.${server}.${field}.${name}”: ${problem}`);
  });
}
const OURS = "a key of this program is given to a server in the file only";

function whereTo({ command, args = [], url }: Record<string, unknown>): string {
  const origin = typeof url === "string" ? originOf(url) : null;
  return JSON.stringify([command, args, origin]);
}

type Place = [server: string, field: string, name: string];

function eachValue(servers: Servers, change: (value: string, place: Place) => string): Servers {
  return mapped(servers, (settings, server) =>
    mapped(settings, (fields, field) => {
      if (!SECRET_FIELDS.includes(field) || typeof fields !== "object" || fields === null)
        return fields;
      return mapped(fields as Record<string, unknown>, (value, name) =>
        typeof value === "string" ? change(value, [server, field, name]) : value,
      );
    }),
  );
}

function mapped<In, Out>(of: Record<string, In>, change: (value: In, key: string) => Out) {
  return Object.fromEntries(
    Object.entries(of ?? {}).map(([key, value]) => [key, change(value, key)]),
  ) as Record<string, Out>;
}
