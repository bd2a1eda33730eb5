// npm run test:browser -- --trials 50 [--seed N]: random sequences in a real browser, each repeatable.
import { randomInt } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { launchBrowser } from "./support/browser.ts";
import { runTrial } from "./trial.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { trials: { type: "string" }, seed: { type: "string" } },
});
process.exitCode = values.trials === undefined ? await runFiles() : await runTrials();

/** Without trials: the test files, all or those whose names were given. */
async function runFiles(): Promise<number> {
  const all = globSync("**/*.test.ts", { cwd: import.meta.dirname }).toSorted();
  const wanted = all.filter(
    (file) =>
      positionals.length === 0 || positionals.some((name) => basename(file).startsWith(name)),
  );
  const files = wanted.map((file) => join(import.meta.dirname, file));
  const flags = ["--test", "--test-concurrency=2", "--test-timeout=180000"];
  const child = spawn(process.execPath, [...flags, ...files], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}

async function runTrials(): Promise<number> {
  const trials = Number(values.trials);
  const first = Number(values.seed ?? randomInt(1_000_000));
  const browser = await launchBrowser();
  let failed = 0;
  for (let seed = first; seed < first + trials; seed += 1) {
    try {
      const done = await runTrial(browser, seed);
      console.log(`seed ${seed}: ok (${done.join(", ")})`);
    } catch (error) {
      failed += 1;
      console.log(`seed ${seed}: FAILED`, error);
    }
  }
  await browser.close();
  console.log(`${trials - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
