// `node scripts/delete-room.ts features/x` or `windows/y`: deletes a room, the files elsewhere that its room.json names,
// and its line in every list; then regenerates the generated files. test/rooms deletes three rooms in a copy.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { neededBy, planDeletion, readSources } from "./delete-room/plan-deletion.ts";

const ROOT = join(import.meta.dirname, "..");
const RULE = /^- \*\*([A-Z]{1,2}\d+[a-z]?)\*\*/; // `J5`, and its sub-rules `J5a`, `J5b` …

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const write = (path: string, text: string) => writeFileSync(join(ROOT, path), text);
const sources = () => globSync("{src,test,scripts,bench}/**/*.{ts,tsx}", { cwd: ROOT });

function deleteRoom(room: string): void {
  const folder = join("src", room);
  if (!/^(features|windows)\/[a-z0-9-]+$/.test(room) || !existsSync(join(ROOT, folder))) {
    throw new Error(`There is no room ${room}: name one as features/voice or windows/hud.`);
  }
  const before = testedRules();
  const { doomed, edits, left } = planDeletion(ROOT, readSources(ROOT), room);
  if (left.length > 0) throw new Error(refusal(room, left));
  const tests = [...doomed].filter((path) => path.endsWith(".test.ts") && !path.startsWith(folder));
  if (tests.length > 0) console.log(`Tests that go with it: ${tests.toSorted().join(", ")}`);
  for (const [path, text] of edits) write(path, text);
  for (const path of [folder, ...doomed])
    rmSync(join(ROOT, path), { recursive: true, force: true });
  removeRules(before.difference(testedRules()));
}

function refusal(room: string, left: readonly string[]): string {
  const rooms = neededBy(left);
  const why = rooms
    ? `${room} is needed by ${rooms.join(" and ")}: delete that first.`
    : `These use ${room} and are no lines of a list:`;
  return [why, ...left].join("\n  ");
}

/** A test of a rule also tests its sub-rules. */
function testedRules(): Set<string> {
  const tests = sources().filter((path) => /\.(test|contract)\.tsx?$/.test(path));
  const names = /\btest\(\s*[`"][^\n]*?\[([A-Z]{1,2}\d*[a-z]?(?:, [A-Z]{1,2}\d*[a-z]?)*)\]/g;
  const found = tests.flatMap((path) => [...read(path).matchAll(names)]);
  const named = new Set(found.flatMap(([, ids = ""]) => ids.split(", ")));
  const rules = read("PROTOCOL.md")
    .split("\n")
    .map((line) => RULE.exec(line)?.[1] ?? "");
  return new Set(rules.filter((id) => named.has(id) || named.has(id.replace(/[a-z]$/, ""))));
}

/** Removes the rules that only the room's tests tested. */
function removeRules(rules: ReadonlySet<string>): void {
  const isKept = (line: string) => !rules.has(RULE.exec(line)?.[1] ?? "");
  if (rules.size > 0) console.log(`Rules that go with it: ${[...rules].toSorted().join(", ")}`);
  write("PROTOCOL.md", linesOf("PROTOCOL.md", isKept));
}

function linesOf(path: string, isKept: (line: string) => boolean): string {
  return read(path).split("\n").filter(isKept).join("\n");
}

function generate(): void {
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: ROOT, stdio: "inherit" });
  run(join(ROOT, "node_modules/.bin/oxfmt"), ".");
  for (const script of ["schema", "settings-doc", "windows-doc", "conformance-doc"])
    run(process.execPath, `scripts/${script}.ts`);
}

try {
  const rooms = process.argv.slice(2).map((path) => relative("src", join("src", path)));
  for (const room of rooms) deleteRoom(room);
  generate();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
