// Keys that were entered in the page, in `secrets.json` of the home: for its owner only, written whole or not at all,
// read by our own processes and told to nobody. Each is bound to the origin it was entered for: pointed at another
// address, it is not sent there.
import { accessSync, chmodSync, constants, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { errnoOf, ProfileError } from "./profile/error.ts";
import { changeFile } from "./replace-file.ts";

const FILE = "secrets.json";
const MAX_BYTES = 65_536;

export const SecretName = z
  .string()
  .regex(/^[a-z][a-z0-9_.]{0,63}$/, "small letters, digits, '_', '.'");
const Secret = z.strictObject({
  value: z.string().min(1).max(8_192),
  origin: z.string().nullable(), // null: of no address
  set_at: z.number(),
});
export type Secret = Readonly<z.infer<typeof Secret>>;
const Secrets = z.record(SecretName, Secret);
export type Secrets = Readonly<Record<string, Secret>>;

export function readSecrets(home: string): Secrets {
  const path = join(home, FILE);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return {}; // no home yet, or none that can be
    if (errnoOf(error) === "EACCES" && !isReachable(home)) return {}; // somebody else's: whoever opens it says so
    throw new ProfileError("unreadable", path, `it cannot be read (${errnoOf(error)})`);
  }
  return parsed(path, text);
}

function isReachable(home: string): boolean {
  try {
    accessSync(home, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Null takes it away. What else is there stays as it is. */
export async function keepSecret(home: string, name: string, secret: Secret | null): Promise<void> {
  const folder = { root: home, path: home };
  await changeFile({ folder, name: FILE, limit: MAX_BYTES }, (text) => {
    const { [name]: _before, ...others } = text === undefined ? {} : parsed(join(home, FILE), text);
    const next = secret === null ? others : { ...others, [name]: secret };
    return { text: `${JSON.stringify(next, null, 2)}\n`, result: undefined };
  });
  chmodSync(join(home, FILE), 0o600);
}

/** The value, where it may be used: at the origin it was entered for, and at no other. */
export function secretFor(
  secrets: Secrets,
  name: string,
  url: string | undefined,
): string | undefined {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (!secret) return undefined;
  return secret.origin === null || secret.origin === originOf(url) ? secret.value : undefined;
}

export function originOf(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : null;
}

function parsed(path: string, text: string): Secrets {
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    // Nothing of what it says: an error is printed and logged.
    throw new ProfileError("broken", path, "it is not what was written there; mend or remove it");
  }
}
