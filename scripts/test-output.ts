// What node:test's spec reporter prints in each process, put together: one count, and what failed, was skipped or took
// longest at the end, where it is seen.
import { seconds, type Ended } from "./jobs.ts";

const COUNT = /^ℹ (tests|pass|fail|cancelled|skipped) (\d+)\n/gm;
const COUNTS = /^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+\n/gm;
const FAILING = "✖ failing tests:";
const SKIPPED = /^ *﹣ .*$/gm;
const SLOWEST = 15;

export function showTests({ name, ok, output }: Ended): void {
  const [results = ""] = output.replaceAll(COUNTS, "").split(FAILING);
  console.log(results.trimEnd());
  if (!ok) console.log(`✖ ${name}`);
}

export function summary(jobs: readonly Ended[]): string {
  const counts = new Map<string, number>();
  for (const [, what = "", count] of jobs.flatMap(({ output }) => [...output.matchAll(COUNT)])) {
    counts.set(what, (counts.get(what) ?? 0) + Number(count));
  }
  const skipped = jobs.flatMap(({ output }) => output.match(SKIPPED) ?? []);
  const slowest = jobs.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  return [
    ...jobs.filter(({ ok }) => !ok).map(failureOf),
    ...(skipped.length > 0 ? ["\nskipped", ...skipped] : []),
    "\nslowest",
    ...slowest.map(({ name, ms }) => `${seconds(ms).padStart(8)}  ${name}`),
    "",
    [...counts].map(([what, count]) => `${what} ${count}`).join(", "),
  ].join("\n");
}

/** A process that ended without saying which test failed has said something else. */
function failureOf({ name, output }: Ended): string {
  const [, failing] = output.split(FAILING);
  return `\n✖ ${name}\n${(failing ?? output).trimEnd()}`;
}
