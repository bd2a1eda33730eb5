// Matches the path patterns of rules on lexically normalised paths. `*` and `?` stay within one name and match
// leading dots too (node's matchesGlob does not: a rule against `*` would let `.env` through); `**` spans any number
// of directories, none included (ADR 40).
import { isAbsolute, relative, resolve, sep } from "node:path";

export type Place = { readonly absolute: string; readonly inside: boolean };

/** Where a path points by its spelling. Links are the tool host's business: it refuses to leave. */
export function locate(path: string, workspace: string): Place {
  const root = resolve("/", workspace);
  const absolute = resolve(root, path);
  const from = relative(root, absolute);
  return { absolute, inside: from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from) };
}

export type PathRule = { readonly pattern: string; readonly workspace: string };

/** Exactly: for rules that allow. */
export function pathCovered({ pattern, workspace }: PathRule, path: string): boolean {
  const wanted = wantedNames(pattern, workspace);
  return wanted !== undefined && namesMatch(wanted, split(locate(path, workspace).absolute));
}

/**
 * For rules that forbid: also what lies below a directory that matches, and spellings that some file
 * systems take for the same. A pattern without a meaning matches everything, so that it is noticed.
 */
export function pathRestricted({ pattern, workspace }: PathRule, path: string): boolean {
  const wanted = wantedNames(pattern, workspace);
  if (wanted === undefined) return true;
  const alike = wanted.map(({ name, glob }) => ({ name: fold(name), glob }));
  const names = split(locate(path, workspace).absolute).map(fold);
  return namesMatch([...alike, { name: "**", glob: true }], names);
}

type Wanted = { readonly name: string; readonly glob: boolean };

/** The names of a pattern from the root. The workspace's own are literal whatever they contain. */
function wantedNames(pattern: string, workspace: string): Wanted[] | undefined {
  const root = split(resolve("/", workspace)).map((name) => ({ name, glob: false }));
  const wanted: Wanted[] = pattern.startsWith("/") ? [] : root;
  for (const name of split(pattern)) {
    if (name !== "..") wanted.push({ name, glob: /[*?]/.test(name) });
    else if (wanted.pop()?.glob) return undefined; // above "anything" is nowhere
  }
  return wanted;
}

function split(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function namesMatch(wanted: readonly Wanted[], names: readonly string[]): boolean {
  return matches(wanted, names, {
    star: ({ name, glob }) => glob && name === "**",
    one: ({ name, glob }, actual) => (glob ? nameMatches(name, actual) : name === actual),
  });
}

function nameMatches(pattern: string, name: string): boolean {
  return matches(Array.from(pattern), Array.from(name), {
    star: (char) => char === "*",
    one: (char, actual) => char === "?" || char === actual,
  });
}

/** Going back only to the newest star: quadratic at worst, where an expression could be exponential. */
function matches<Request, Item>(
  requests: readonly Request[],
  items: readonly Item[],
  {
    star,
    one,
  }: { star: (request: Request) => boolean; one: (request: Request, item: Item) => boolean },
): boolean {
  let request = 0;
  let item = 0;
  let back: { request: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = requests[request];
    if (wanted !== undefined && star(wanted)) {
      request += 1;
      back = { request, item };
    } else if (wanted !== undefined && one(wanted, items[item] as Item)) {
      request += 1;
      item += 1;
    } else if (back) {
      back.item += 1;
      request = back.request;
      item = back.item;
    } else {
      return false;
    }
  }
  return requests.slice(request).every(star);
}
