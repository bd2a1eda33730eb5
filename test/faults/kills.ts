// npm run test:kills [-- --only NAME --every N]: kills the first start, a restore, the start after it and a migration at
// every write to the home, and starts it again.
import { parseArgs } from "node:util";
import { killOpening, openingTemplates, recordOpening, type Opening } from "./killed-opening.ts";
import { canTrace } from "../support/traced-calls.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    every: { type: "string", default: "1" },
    parallel: { type: "string", default: "2" },
  },
});
if (!canTrace) {
  console.error("Not run: this needs Linux and strace.");
  process.exit(1);
}
using templates = await openingTemplates();
let failed = 0;
for (const opening of templates.openings) {
  if (values.only === undefined || values.only === opening.name) failed += await killAll(opening);
}
process.exitCode = failed === 0 ? 0 : 1;

async function killAll(opening: Opening): Promise<number> {
  const all = await recordOpening(opening);
  const calls = all.filter((_, index) => index % Number(values.every) === 0);
  let [fired, problems] = [0, 0];
  const lane = async () => {
    for (let call = calls.shift(); call; call = calls.shift()) {
      const { killed, problem } = await killOpening(opening, call);
      if (killed) fired += 1;
      if (problem === undefined) continue;
      problems += 1;
      console.log(`${opening.name}, ${call.name} ${call.nth} (${call.text}): ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, lane));
  console.log(`${opening.name}: ${all.length} writes, ${fired} kills, ${problems} problems`);
  return problems;
}
