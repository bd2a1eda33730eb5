// Which paths a pattern of a deny rule means right now, for the sandbox to hide. Commands must not be
// able to read a file because a pattern was too wide to look through: then they do not run at all.
import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathRestricted } from "../../workspace/listing/path-patterns.ts";

const MAX_ENTRIES = 100_000;

/** Absolute. What lies below one of them is not listed again. */
export async function existingPaths(
  patterns: readonly string[],
  workspace: string,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    const whole = pattern.replace(/(\/\*\*)+$/, ""); // a folder and all that is in it
    if (/[*?]/.test(whole)) await search({ pattern: whole, workspace }, found);
    else found.add(resolve(workspace, whole));
  }
  return [...found].toSorted();
}

async function search(rule: { pattern: string; workspace: string }, found: Set<string>) {
  const { pattern, workspace } = rule;
  const known = pattern.slice(0, pattern.search(/[*?]/)); // "keys/prod" of "keys/prod-*.pem"
  const folders = [
    resolve(workspace, known.endsWith("/") || known === "" ? known : dirname(known)),
  ];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (pathRestricted(rule, path)) found.add(path);
      else if (entry.isDirectory()) folders.push(path);
      seen += 1;
      if (seen > MAX_ENTRIES) throw new Error(tooWide(pattern));
    }
  }
}

function tooWide(pattern: string): string {
  return (
    `The rule that denies “${pattern}” would have to look through more than ${MAX_ENTRIES} files before ` +
    "each command. Name a folder in it, such as “secrets/**”."
  );
}
