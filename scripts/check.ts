// npm test: everything that must hold, in one command. The quick checks run side by side first;
// the tests follow, so that a typo does not cost three minutes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";

const BIN = join(import.meta.dirname, "../node_modules/.bin");
const QUICK: Record<string, string[]> = {
  format: ["oxfmt", "--check", "."],
  lint: ["oxlint", "--type-aware"],
  types: ["tsc", "-p", "tsconfig.json"],
  "types of protocol (pure)": ["tsc", "-p", "src/protocol/tsconfig.json"],
  "types of web": ["tsc", "-p", "src/web/tsconfig.json"],
};
const TESTS = [
  "src/**/*.test.ts",
  "test/*.test.ts",
  "test/dialects/*.test.ts",
  "test/e2e/*.test.ts",
  "test/faults/*.test.ts",
];

async function check(name: string, [command = "", ...args]: string[]): Promise<boolean> {
  const began = performance.now();
  const child = spawn(join(BIN, command), args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  const ok = child.exitCode === 0;
  console.log(`${ok ? "✔" : "✖"} ${name} (${Math.round(performance.now() - began)} ms)`);
  if (!ok) console.log(output);
  return ok;
}

const entries = Object.entries(QUICK);
const results: boolean[] = [];
const lane = async () => {
  for (let next = entries.shift(); next; next = entries.shift()) results.push(await check(...next));
};
await Promise.all(Array.from({ length: Math.min(cpus().length, 3) }, lane));
if (results.includes(false)) process.exit(1);

const concurrency = String(Math.max(2, cpus().length));
const limits = [`--test-concurrency=${concurrency}`, "--test-timeout=300000"]; // a hang is a failure
const tests = spawn(process.execPath, ["--test", ...limits, ...TESTS], { stdio: "inherit" });
await once(tests, "close");
process.exitCode = tests.exitCode ?? 1;
