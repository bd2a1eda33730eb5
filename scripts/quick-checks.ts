// What is checked without running a test, and what tests open and start.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runJobs, seconds, type Ended, type Job } from "./jobs.ts";

const BIN = join(import.meta.dirname, "../node_modules/.bin");
/** tsc and tsgolint are Go programs: less collecting, and one thread each, since several checks run side by side. */
const GO = { GOGC: "400", GOMAXPROCS: "1" };

const check = (name: string, command: string, ...args: string[]): Job => ({
  name,
  command: join(BIN, command),
  args,
  env: GO,
});
/** One checker: four check much of the same types four times. */
const tsc = (name: string, project: string) => check(name, "tsc", "-p", project, "--checkers", "1");

export const STATIC: readonly Job[] = [
  check("lint", "oxlint", "--type-aware"),
  tsc("types", "tsconfig.json"),
  tsc("types of what is pure", "tsconfig.pure.json"),
  tsc("types of web", "src/web/tsconfig.json"),
  check("format", "oxfmt", "--check", "."),
];
export const BUILDS: readonly Job[] = [
  check("the page", "node", "scripts/build-web.ts"),
  check("the program", "node", "scripts/build-program.ts"), // what is published is what is tested
];

/** Whether all of them hold. What does not is printed. */
export async function quickChecks(checks: readonly Job[]): Promise<boolean> {
  const ended = await runJobs(checks, Math.min(availableParallelism(), 3), { onEnd: showCheck });
  return ended.every(({ ok }) => ok);
}

export function showCheck({ name, ok, output, ms }: Ended): void {
  console.log(`${ok ? "✔" : "✖"} ${name} (${seconds(ms)})`);
  if (!ok) console.log(output);
}
