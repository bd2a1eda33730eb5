// The checks that run no test, in parallel, so that a typo does not cost minutes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";

const BIN = join(import.meta.dirname, "../node_modules/.bin");

type Check = { readonly name: string; readonly command: string; readonly args: readonly string[] };
const tsc = (name: string, project: string): Check => ({
  name,
  command: "tsc",
  args: ["-p", project],
});
const node = (name: string, ...args: string[]): Check => ({ name, command: "node", args });

export const STATIC: readonly Check[] = [
  { name: "lint", command: "oxlint", args: ["--type-aware"] },
  { name: "format", command: "oxfmt", args: ["--check", "."] },
  tsc("types", "tsconfig.json"),
  tsc("types of what is pure", "tsconfig.pure.json"),
  tsc("types of web", "src/web/tsconfig.json"),
];
/** Builds what tests open and start, before them, so that no test finds a partial build. */
export const BUILDS: readonly Check[] = [
  node("the page", "scripts/build-web.ts"),
  node("the program", "scripts/build-program.ts"), // tests start the bundle that is published
];

/** Whether all checks pass. Prints those that fail. */
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
  const child = spawn(join(BIN, command), args, { stdio: ["ignore", "pipe", "pipe"] });
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
