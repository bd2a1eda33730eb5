// What is checked without running a test, side by side: a typo must not cost minutes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";

const BIN = join(import.meta.dirname, "../node_modules/.bin");

type Check = { readonly name: string; readonly command: string; readonly args: readonly string[] };
const tsc = (name: string, project: string): Check => ({
  name,
  command: "tsc",
  args: ["-p", project, "--checkers", "1"], // four check much of the same types four times
});
const node = (name: string, ...args: string[]): Check => ({ name, command: "node", args });

export const STATIC: readonly Check[] = [
  { name: "lint", command: "oxlint", args: ["--type-aware"] },
  { name: "format", command: "oxfmt", args: ["--check", "."] },
  tsc("types", "tsconfig.json"),
  tsc("types of what is pure", "tsconfig.pure.json"),
  tsc("types of web", "src/web/tsconfig.json"),
];
/** What tests open and start. Built before them, so that none finds half of it. */
export const BUILDS: readonly Check[] = [
  node("the page", "scripts/build-web.ts"),
  node("the program", "scripts/build-program.ts"), // what is published is what is tested
];

/** tsc and tsgolint are Go programs: less collecting, and one thread each, since several checks run side by side. */
const GO = { GOGC: "400", GOMAXPROCS: "1" };

/** Whether all of them hold. What does not is printed. */
export async function quickChecks(checks: readonly Check[]): Promise<boolean> {
  const waiting = [...checks];
  const results: boolean[] = [];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await holds(next));
  };
  await Promise.all(Array.from({ length: Math.min(cpus().length, 3) }, lane));
  return !results.includes(false);
}

async function holds({ name, command, args }: Check): Promise<boolean> {
  const began = performance.now();
  const child = spawn(join(BIN, command), args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...GO },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  const ok = child.exitCode === 0;
  console.log(`${ok ? "✔" : "✖"} ${name} (${seconds(began)})`);
  if (!ok) console.log(output);
  return ok;
}

export function seconds(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
}
