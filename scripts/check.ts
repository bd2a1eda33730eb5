// npm test: everything that must hold, in one command. The quick checks run side by side first;
// the tests follow, so that a typo does not cost ten minutes. One Postgres serves all of them, and
// what a journal could matter to is tried on both kinds of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { startPostgres } from "../test/support/postgres.ts";

const BIN = join(import.meta.dirname, "../node_modules/.bin");
/** Four hundred files load much the same modules: a third of a second less for most of them. */
const COMPILED = join(import.meta.dirname, "../node_modules/.cache/compiled");
const QUICK: Record<string, string[]> = {
  format: ["oxfmt", "--check", "."],
  lint: ["oxlint", "--type-aware"],
  types: ["tsc", "-p", "tsconfig.json"],
  "types of protocol (pure)": ["tsc", "-p", "src/protocol/tsconfig.json"],
  "types of web": ["tsc", "-p", "src/web/tsconfig.json"],
  "the page": ["node", "scripts/build-web.ts"], // before tests open it: none must find half of it
};
const TESTS = [
  "src/**/*.test.ts",
  "test/*.test.ts",
  "test/support/*.test.ts",
  "test/dialects/*.test.ts",
  "test/seeds/*.test.ts",
  "test/e2e/*.test.ts",
  "test/faults/*.test.ts",
];
/** `npm run test:e2e:postgres` runs these, too: they see the journal only through what is tried anyway. */
const ONCE: Record<string, string> = {
  "the console, a dialect over the same reads": "console console-stream",
  "other dialects": "v1-openai-chat v1-openai-responses v1-runs webui hud terminal",
  "clients of the API": "attach terminal-client terminal-output model-test",
  "who may ask, and what for": "access login login-link login-origin refused-connections bad-input",
  "what the model and the tools do":
    "approval-boundaries bad-model bounds permissions process-output profiles-and-secrets",
  "files of the workspace": "workspace",
  "SQLite's own file": "backup disk-full fsync-error one-reader",
  "they choose their journal themselves": "migrate refusals tls",
};

const ENDING = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

async function check(name: string, [command = "", ...args]: string[]): Promise<boolean> {
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

async function runTests(name: string, files: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const concurrency = String(cpus().length + 1); // most of them wait now and then: for a lease, a kill, a disk
  const limits = [`--test-concurrency=${concurrency}`, "--test-timeout=300000"]; // a hang is a failure
  const reporters = ["spec", join(import.meta.dirname, "slowest-files.ts")].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    "--test-reporter-destination=stdout",
  ]);
  const options = {
    stdio: "inherit",
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...env },
  } as const;
  const tests = spawn(process.execPath, ["--test", ...limits, ...reporters, ...files], options);
  const end = () => void tests.kill("SIGTERM"); // whoever ends this must not leave the tests behind
  for (const signal of ENDING) process.on(signal, end);
  await once(tests, "close");
  for (const signal of ENDING) process.off(signal, end);
  console.log(`${tests.exitCode === 0 ? "✔" : "✖"} ${name} (${seconds(began)})`);
  return tests.exitCode ?? 1;
}

function onPostgres(): string[] {
  const once = new Set(Object.values(ONCE).flatMap((names) => names.split(" ")));
  const all = globSync("test/e2e/*.test.ts").toSorted();
  return all.filter((path) => {
    const name = basename(path, ".test.ts");
    return !once.has(name) && !name.startsWith("postgres-"); // those are about nothing else
  });
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
}

const entries = Object.entries(QUICK);
const results: boolean[] = [];
const lane = async () => {
  for (let next = entries.shift(); next; next = entries.shift()) results.push(await check(...next));
};
await Promise.all(Array.from({ length: Math.min(cpus().length, 3) }, lane));
if (results.includes(false)) process.exit(1);

let stopped = false;
for (const signal of ENDING) process.on(signal, () => (stopped = true));
await using postgres = await startPostgres({ fsync: false });
const shared = { QUARTERDECK_TEST_POSTGRES_URL: postgres.url };
const codes = [await runTests("tests", TESTS, shared)];
if (!stopped) {
  const env = { ...shared, QUARTERDECK_TEST_BACKEND: "postgres" };
  codes.push(await runTests("end to end on Postgres", onPostgres(), env));
}
process.exitCode = Math.max(...codes);
