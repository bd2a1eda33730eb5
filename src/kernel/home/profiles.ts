// The profiles of a home, as the folders they are. Read at every use, so that an edit counts from the
// next run on; what did not change is not read again.
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DEFAULT_PROFILE, type Profile } from "./profile.ts";
import { errnoOf, ProfileError } from "./profile/error.ts";
import {
  ensureFolder,
  entriesOf,
  exists,
  NAME,
  NAME_RULE,
  profileFolder,
  profilesFolder,
  readText,
  unreadable,
  versionOf,
  type Folder,
} from "./profile/files.ts";
import { fieldsOf, problemOf, ProfileSettings, type ProfileFields } from "./profile/schema.ts";

const SETTINGS = "profile.json";
const PROMPT = "prompt.md";
const MAX_BYTES = 65_536; // of each

export type Profiles = {
  /** Throws a ProfileError when there is none of that name or its files are not right. */
  get(name: string): Promise<Profile>;
  /** Sorted; `default` is always among them. */
  list(): Promise<string[]>;
  /** Makes a folder to fill. Refused when there is one. */
  create(name: string): Promise<Profile>;
};

export function openProfiles(home: string): Profiles {
  const all = profilesFolder(home);
  const cache = new Map<string, { version: string; profile: Profile }>();

  const get = async (name: string): Promise<Profile> => {
    const directory = join(all.path, checked(name));
    const folder = profileFolder(directory);
    if (!(await exists(folder)) && name !== DEFAULT_PROFILE) {
      const problem = `there is no profile “${name}”; make this folder, or choose another profile`;
      throw new ProfileError("unknown_profile", directory, problem);
    }
    const version = `${await versionOf(folder, SETTINGS)} ${await versionOf(folder, PROMPT)}`;
    const known = cache.get(name);
    if (known?.version === version) return known.profile;
    const profile = { name, directory, ...(await settings(folder)), prompt: await prompt(folder) };
    cache.set(name, { version, profile });
    return profile;
  };

  return {
    get,
    async list() {
      const names = (await entriesOf(all))
        .filter(({ name, kind }) => kind === "folder" && NAME.test(name))
        .map(({ name }) => name);
      return [...new Set([...names, DEFAULT_PROFILE])].toSorted();
    },
    async create(name) {
      await ensureFolder(all);
      await make(join(all.path, checked(name)));
      return get(name);
    },
  };
}

function checked(name: string): string {
  if (NAME.test(name)) return name;
  throw new ProfileError("invalid_name", JSON.stringify(name.slice(0, 80)), `use ${NAME_RULE}`);
}

async function settings(folder: Folder): Promise<ProfileFields> {
  const path = join(folder.path, SETTINGS);
  const text = await readText(folder, SETTINGS, MAX_BYTES);
  if (text === undefined) return fieldsOf(ProfileSettings.parse({}));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ProfileError("broken", path, `not JSON: ${(error as Error).message}`);
  }
  const parsed = ProfileSettings.safeParse(value);
  if (!parsed.success) throw new ProfileError("broken", path, problemOf(parsed.error));
  return fieldsOf(parsed.data);
}

/** Null without a prompt of its own: no file, or one with nothing in it. */
async function prompt(folder: Folder): Promise<string | null> {
  const text = await readText(folder, PROMPT, MAX_BYTES);
  return text?.trim() || null;
}

const CONTENT: Record<string, string> = {
  [SETTINGS]: "{}\n",
  [PROMPT]: "",
  "memory/MEMORY.md": "",
  "memory/USER.md": "",
};
const FOLDERS = ["memory", "skills"];

/** Made beside its place and put there as a whole: nobody ever sees half a profile. */
async function make(directory: string): Promise<void> {
  const temporary = join(dirname(directory), `.${randomUUID()}.tmp`);
  try {
    for (const each of ["", ...FOLDERS]) await mkdir(join(temporary, each), { mode: 0o700 });
    for (const [name, text] of Object.entries(CONTENT)) {
      await using file = await open(join(temporary, name), "wx", 0o600);
      await file.writeFile(text);
      await file.sync();
    }
    if (await exists(profileFolder(directory))) throw taken(directory);
    await rename(temporary, directory);
    await using parent = await open(dirname(directory));
    await parent.sync().catch(() => undefined); // some file systems cannot
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (errnoOf(error) === "ENOTEMPTY" || errnoOf(error) === "EEXIST") throw taken(directory);
    throw unreadable(directory, error);
  }
}

function taken(directory: string): ProfileError {
  return new ProfileError("exists", directory, "there is such a profile already");
}
