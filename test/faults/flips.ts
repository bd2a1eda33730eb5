// npm run test:flips [-- --flips 1000 --seed N]: single bits of a journal's tables are changed, one at a time.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { bitFlips, type Judged } from "./bit-flips.ts";

const { values } = parseArgs({
  options: { flips: { type: "string", default: "1000" }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? randomInt(1_000_000_000));
console.log(`${values.flips} flips from seed ${seed}`);
using flipping = await bitFlips(seed, { recorded: true });
const counts: Record<Judged["verdict"], number> = { found: 0, harmless: 0, served: 0, missed: 0 };
for (let done = 0; done < Number(values.flips); done += 1) {
  const { flip, verdict } = await flipping.flip();
  counts[verdict] += 1;
  if (verdict === "served" || verdict === "missed")
    console.log(verdict, JSON.stringify(flip).slice(0, 400));
}
console.log(JSON.stringify(counts));
process.exitCode = counts.served + counts.missed === 0 ? 0 : 1;
