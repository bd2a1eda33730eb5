// A login link works once, for a minute, and is printed only to the person who runs this program.
import type { Config } from "../config.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import { LINK_SECONDS, newLoginCode } from "../kernel/server/token.ts";

export const LINK_LIFE = `works once, within ${LINK_SECONDS} seconds`;

/** Who listens on every address says none that a browser could open; on this machine it is there, too. */
export function usableUrl(url: string, host = "127.0.0.1"): string {
  return url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/, `$1${host}`);
}

/** `url` is where this home is served; browsers may know it by another. */
export async function newLoginLink(
  journal: Journal,
  { public_url }: Pick<Config, "public_url">,
  url: string,
): Promise<string> {
  const { code, hash } = newLoginCode();
  await journal.registry.addLoginCode(hash, LINK_SECONDS);
  return `${(public_url ?? usableUrl(url)).replace(/\/$/, "")}/#login=${code}`;
}
