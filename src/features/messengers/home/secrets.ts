// Tokens of messengers in a file of the home that only its owner can read. Written by whoever sets them, read by
// whoever needs them, shown to nobody. Many machines share them in the database instead (cli/secrets.ts).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { changeFile } from "../../../kernel/home/replace-file.ts";
import { readText, type Folder } from "../../../kernel/home/profile/files.ts";

export type PlatformSecrets = Readonly<Record<string, string>>;
/** By platform, then by name. */
export type AllSecrets = Readonly<Record<string, PlatformSecrets>>;

const NAME = "gateway-secrets.json";
const LIMIT = 262_144;

const folderOf = (home: string): Folder => ({ root: home, path: home });

export async function readGatewaySecrets(home: string): Promise<AllSecrets> {
  return parseSecrets(await readText(folderOf(home), NAME, LIMIT));
}

/** For the redactor: whatever is kept is a secret. A file nobody can read has none; whoever needs it says so. */
export function gatewaySecretsKept(home: string): { name: string; value: string }[] {
  try {
    const all = Object.values(parseSecrets(readFileSync(join(home, NAME), "utf8")));
    return all.flatMap((own) => Object.values(own).map((value) => ({ name: "messenger", value })));
  } catch {
    return [];
  }
}

export async function writeGatewaySecrets(
  home: string,
  platform: string,
  changes: Readonly<Record<string, string | null>>,
): Promise<void> {
  await changeFile({ folder: folderOf(home), name: NAME, limit: LIMIT }, (text) => ({
    text: JSON.stringify(changedSecrets(parseSecrets(text), platform, changes)),
    result: undefined,
  }));
}

/** What is null is forgotten. */
export function changedSecrets(
  all: AllSecrets,
  platform: string,
  changes: Readonly<Record<string, string | null>>,
): AllSecrets {
  const own = Object.entries({ ...all[platform], ...changes });
  const kept = own.filter((entry): entry is [string, string] => entry[1] !== null);
  return { ...all, [platform]: Object.fromEntries(kept) };
}

/** Whoever broke it by hand is told so: an empty answer would look like a forgotten token. */
export function parseSecrets(text: string | undefined): AllSecrets {
  if (text === undefined || text.trim() === "") return {};
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null ? (value as AllSecrets) : {};
}
