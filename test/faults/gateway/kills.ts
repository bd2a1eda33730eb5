// npm run test:gateway-kills [-- --kills 200 --seed N]: gateways killed at random moments, with four messengers on.
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { runGatewayTrial } from "./trial.ts";

const { values } = parseArgs({
  options: { kills: { type: "string", default: "200" }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? randomInt(1_000_000_000));
console.log(`${values.kills} kills from seed ${seed}`);
const report = (line: string) => console.log(line);
for (const { platform, written, kills, connected } of await runGatewayTrial({
  kills: Number(values.kills),
  seed,
  report,
})) {
  const when = `${kills} kills (${connected} with every platform held)`;
  console.log(`${platform}: ${when}, ${written} messages and their replies once, in order`);
}
