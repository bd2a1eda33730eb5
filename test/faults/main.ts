// npm run test:faults -- --trials 1000 [--seed N] [--parallel 2]: random kills, judged from outside.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runTrials } from "./run-trials.ts";

const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "200" },
    seed: { type: "string" },
    parallel: { type: "string", default: "2" },
  },
});
const seed = Number(values.seed ?? randomInt(1_000_000_000));
const trials = Number(values.trials);
console.log(
  `${trials} trials from seed ${seed}; one again: npm run test:faults -- --trials 1 --seed N`,
);
const { counted, failed } = await runTrials({
  trials,
  seed,
  parallel: Number(values.parallel),
  report: ({ seed: own, fired, problems, ms }) => {
    console.log(
      `seed ${own}: ${fired.join(", ") || "nothing fired"} (${ms} ms) ${problems.length === 0 ? "ok" : "FAILED"}`,
    );
    for (const problem of problems) console.log(`    ${problem}`);
  },
});
console.log(`${counted - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
