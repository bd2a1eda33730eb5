// npm run test:faults -- --trials 1000 [--postgres] [--seed N] [--parallel 2]: random faults, judged
// from outside: kills of one program, or with --postgres everything that happens to a cluster.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/postgres/postgres.ts";
import { runClusterTrial } from "./cluster/trial.ts";
import { runTrials, type TrialResult } from "./run-trials.ts";
import { runTrial } from "./trial.ts";

const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "200" },
    seed: { type: "string" },
    parallel: { type: "string" },
    postgres: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed ?? randomInt(1_000_000_000));
const trials = Number(values.trials);
const cluster = values.postgres ? " --postgres" : "";
console.log(
  `${trials} trials from seed ${seed}; one again: npm run test:faults -- --trials 1 --seed N${cluster}`,
);
await using made = new AsyncDisposableStack();
const { counted, failed } = await runTrials({
  trial: values.postgres ? await clusterTrials() : runTrial,
  trials,
  seed,
  parallel: Number(values.parallel ?? (values.postgres ? "1" : "2")),
  report,
});
console.log(`${counted - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** One after the other: they kill the one Postgres they share. */
async function clusterTrials(): Promise<(seed: number) => Promise<TrialResult>> {
  const postgres = made.use(await startPostgres());
  return (own) => runClusterTrial(postgres, own);
}

function report({ seed: own, fired, problems, ms }: TrialResult): void {
  const verdict = problems.length === 0 ? "ok" : "FAILED";
  console.log(`seed ${own}: ${fired.join(", ") || "nothing fired"} (${ms} ms) ${verdict}`);
  for (const problem of problems) console.log(`    ${problem}`);
}
