// Where this program is installed: the next start executes it. A tool that could write there would run outside of
// every sandbox, with the runner's keys. So these folders are read-only in the sandbox, refused by file tools, and no
// workspace may contain them or lie in them.
import { realpathSync, statSync, type BigIntStats } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileId } from "./workspace.ts";

/** The source or built code, its package.json and its packages: what a sandbox must show to run the tool host. */
export type ProgramPlaces = {
  /** Real paths: the checkout or the installed package, and every node_modules that it loads from. */
  readonly directories: readonly string[];
  /** Real path of the Node that runs it. */
  readonly node: string;
  /** The part of the directories that the tool host needs. */
  readonly needed: readonly string[];
};

let found: ProgramPlaces | undefined;

export function programPlaces(): ProgramPlaces {
  return (found ??= findProgram());
}

/** Everything of it that no tool may change. */
export function programPaths(): string[] {
  const { directories, node } = programPlaces();
  return [...directories, node];
}

/** The directory of all code: `src` in a checkout, `dist` where it was built. Bundled modules do not lie where their sources do. */
export const CODE = findCode();

/** The page, as it was built. */
export const WEB = join(dirname(CODE), "dist/web");

/** A program that is started in a process of its own, by its path below `src` without an extension. */
export function programFile(name: string): string {
  return join(CODE, `${name}${basename(CODE) === "src" ? ".ts" : ".js"}`);
}

function findCode(): string {
  let code = import.meta.dirname;
  while (basename(code) !== "src" && basename(code) !== "dist") {
    if (code === dirname(code)) throw new Error(`${import.meta.dirname} is not below src or dist`);
    code = dirname(code);
  }
  return code;
}

function findProgram(): ProgramPlaces {
  const root = dirname(CODE);
  const packages = [join(root, "node_modules"), dirname(root)]
    .filter((path) => basename(path) === "node_modules")
    .flatMap(real);
  const [node = process.execPath] = real(process.execPath);
  return {
    directories: [...new Set([...real(root), ...packages])],
    node,
    needed: [...[node, CODE, join(root, "package.json")].flatMap(real), ...packages],
  };
}

/**
 * Why tools must not work in this directory; undefined: they may. It need not exist yet. Compared by
 * device and inode: a link or another mount of the same place is the same place.
 */
export function workspaceProblem(path: string, homes: readonly string[]): string | undefined {
  const own = idOf(path);
  const above = ancestors(nearest(path)).map(idOf);
  const [program = ""] = programPlaces().directories;
  for (const directory of programPlaces().directories) {
    const relation = above.includes(idOf(directory))
      ? "lies inside"
      : own !== undefined && ancestors(directory).map(idOf).includes(own)
        ? "contains"
        : undefined;
    if (relation === undefined) continue;
    return (
      `The workspace ${path} ${relation} the Quarterdeck program (${program}), so an agent could ` +
      `rewrite the program that runs it. Choose another folder, for example ${dedicatedWorkspace()}.`
    );
  }
  const home = homes.find((one) => above.includes(idOf(one) ?? ""));
  if (home === undefined) return undefined;
  return `The workspace ${path} must not be inside the home ${home}: tools may never touch the journal.`;
}

/** Where tools work when the directory Quarterdeck was started in is not for that. */
export function dedicatedWorkspace(): string {
  return join(homedir(), "quarterdeck-workspace");
}

const HOMES = /^(?:\/root|\/(?:home|Users)\/[^/]+|[A-Za-z]:\\Users\\[^\\]+)$/;

/** The directory it was started in, unless that is the program's, everybody's or a person's whole home. */
export function defaultWorkspace(started: string, home: string): string {
  const [place = resolve(started)] = real(started);
  const isWhole = dirname(place) === place || HOMES.test(place) || idOf(place) === idOf(homedir());
  return isWhole || workspaceProblem(place, [home]) !== undefined
    ? dedicatedWorkspace()
    : resolve(started);
}

function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...ancestors(above)];
}

/** The real path of what exists of it. */
function nearest(path: string): string {
  const [there] = real(path);
  const above = dirname(resolve(path));
  return there ?? (above === resolve(path) ? above : nearest(above));
}

function idOf(path: string): string | undefined {
  const stats = statIfThere(path);
  return stats && fileId(stats);
}

function statIfThere(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined; // not there, or not ours to see
  }
}

function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
