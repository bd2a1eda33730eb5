// The state of a directory (names, kinds, modes, content), to prove that something did not touch it.
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function directoryState(directory: string): Record<string, string> {
  const all = readdirSync(directory, { recursive: true }).map(String).toSorted();
  const names = all.filter((name) => !name.split("/").includes("compile-cache")); // Node's own
  return Object.fromEntries(names.map((name) => [name, describe(join(directory, name))]));
}

function describe(path: string): string {
  const stats = lstatSync(path);
  const mode = (stats.mode & 0o777).toString(8);
  if (!stats.isFile()) return `${mode} ${stats.isDirectory() ? "directory" : "other"}`;
  return `${mode} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
}
