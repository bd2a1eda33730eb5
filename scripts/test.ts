// npm test: everything that must hold, in one command. The quick checks run side by side first;
// the tests follow, so that a typo does not cost ten minutes. One Postgres serves all of them, and
// what a journal could matter to is tried on both kinds of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres.ts";
import { BUILDS, quickChecks, seconds, STATIC } from "./quick-checks.ts";

const ROOT = join(import.meta.dirname, "..");
/** Four hundred files load much the same modules: a third of a second less for most of them. */
const COMPILED = join(ROOT, "node_modules/.cache/compiled");
/** They touch neither files nor processes, so one process runs them all. */
const PURE = [
  "src/{api,kernel/{api,dialect,events,state,text}}/**/*.test.ts",
  "src/windows/*/{wire,state,tree}/**/*.test.ts",
  "src/features/*/*.test.ts",
  "src/features/*/web/**/*.test.ts",
  "src/web/**/*.test.ts",
];
const TESTS = [
  "src/cli/**/*.test.ts",
  "src/kernel/{blobs,client,home,journal,redact,run,search,server,workspace}/**/*.test.ts",
  "src/windows/*/*.test.ts",
  "src/windows/*/{chat,client,human,sessions,stream,workspace}/**/*.test.ts",
  "src/features/*/!(web)/**/*.test.ts",
  "src/*.test.ts",
  "test/*.test.ts",
  "test/support/*.test.ts",
  "test/dialects/*.test.ts",
  "test/seeds/*.test.ts",
  "test/e2e/*.test.ts",
  "test/faults/*.test.ts",
];
/**
 * What processes do to a database is tried on both kinds of it; so is the journal itself, by its contract
 * (src/kernel/journal). `npm run test:postgres` runs everything else on Postgres, too.
 */
const ALSO_ON_POSTGRES =
  "recovery recovery-of-work fencing drain many-windows volumes interplay restart subagents no-runner clock-jumps";

const ENDING = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** `room`: how many files at a time; none: all of them in one process. */
async function runTests(
  name: string,
  files: string[],
  env: NodeJS.ProcessEnv,
  room?: number,
): Promise<number> {
  const began = performance.now();
  const sharing = room ? `--test-concurrency=${room}` : "--test-isolation=none";
  const limits = [sharing, "--test-timeout=300000"]; // a hang is a failure
  const reporters = ["spec", join(ROOT, "scripts/slowest-files.ts")].flatMap((reporter) => [
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

/** Where tests keep their homes: in memory where there is room for them. Nothing here pulls the plug. */
function roomForHomes(): string {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > 4 * 1024 ** 3 ? inMemory : tmpdir();
}

if (!(await quickChecks([...STATIC, ...BUILDS]))) process.exit(1);

let stopped = false;
for (const signal of ENDING) process.on(signal, () => (stopped = true));
const homes = mkdtempSync(join(roomForHomes(), "qd-tests-"));
chmodSync(homes, 0o755); // Postgres runs as somebody else where we are root
process.env["TMPDIR"] = homes;
try {
  await using postgres = await startPostgres({ fsync: false });
  const shared = {
    QUARTERDECK_TEST_POSTGRES_URL: postgres.url,
    QUARTERDECK_TEST_PROGRAM: join(ROOT, "dist/main.js"),
  };
  const room = cpus().length + 1; // most of them wait now and then: for a lease, a kill, a disk
  const codes = [await runTests("pure tests", PURE, shared)];
  if (!stopped) codes.push(await runTests("tests", TESTS, shared, room));
  if (!stopped) {
    const env = { ...shared, QUARTERDECK_TEST_BACKEND: "postgres" };
    const files = ALSO_ON_POSTGRES.split(" ").map((name) => `test/e2e/${name}.test.ts`);
    codes.push(await runTests("end to end on Postgres", files, env, room));
  }
  process.exitCode = Math.max(...codes);
} finally {
  rmSync(homes, { recursive: true, force: true });
}
