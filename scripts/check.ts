// npm run check: what can be checked within half a minute. Format, lint, types, layers, and the unit tests of what was
// changed since the last commit that main has (on main: since HEAD). `npm test` runs everything.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { seconds } from "./jobs.ts";
import { quickChecks, STATIC } from "./quick-checks.ts";

const ROOT = join(import.meta.dirname, "..");
const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;
const ALWAYS = ["test/boundaries.test.ts", "test/documents.test.ts", "test/names.test.ts"];
/** Tests that start processes, databases or browsers; `npm test` runs them. */
const SLOW = /\.(?:chromium|pg|proc)\.test\.ts$|^test\/(?:e2e|faults|browser|rooms)\//;

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);

function changedFiles(): Set<string> {
  const [base = "HEAD"] = git("merge-base", "HEAD", "main");
  const tracked = git("diff", "--name-only", base);
  return new Set([...tracked, ...git("ls-files", "--others", "--exclude-standard")]);
}

/** The changed files, and all files that import one of them, directly or indirectly. */
function affectedTests(): string[] {
  const importers = new Map<string, string[]>();
  for (const path of globSync("{src,test,scripts}/**/*.{ts,tsx}", { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, path), "utf8");
    for (const [, specifier = ""] of text.matchAll(IMPORT)) {
      const target = relative(ROOT, join(ROOT, dirname(path), specifier));
      importers.set(target, [...(importers.get(target) ?? []), path]);
    }
  }
  const affected = changedFiles(); // grows during the loop
  for (const path of affected)
    for (const importer of importers.get(path) ?? []) affected.add(importer);
  return [...affected].filter((path) => path.endsWith(".test.ts") && !SLOW.test(path));
}

if (!(await quickChecks(STATIC))) process.exit(1);
const tests = [...new Set([...ALWAYS, ...affectedTests()])].filter(
  (path) => globSync(path).length > 0,
);
const began = performance.now();
const flags = ["--test", "--test-reporter=dot", "--test-timeout=60000"];
const child = spawn(process.execPath, [...flags, ...tests], { cwd: ROOT, stdio: "inherit" });
await once(child, "close");
console.log(
  `${child.exitCode === 0 ? "✔" : "✖"} ${tests.length} files of tests (${seconds(performance.now() - began)})`,
);
process.exitCode = child.exitCode ?? 1;
