// npm test: the quick checks side by side, then the tests, so that a typo does not cost minutes.
// npm run test:long: what takes longer and proves more of the same: every try of the fuzzers and properties, faults,
// a real Chromium, and what processes do to a database on Postgres too. CI runs both. One Postgres serves all of them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres.ts";
import { BUILDS, quickChecks, seconds, STATIC } from "./quick-checks.ts";

const ROOT = join(import.meta.dirname, "..");
/** Four hundred files load much the same modules: a third of a second less for most of them. */
const COMPILED = join(ROOT, "node_modules/.cache/compiled");
/** They touch neither files nor processes, so one process runs them all. */
const PURE = [
  "src/{api,kernel/{api,dialect,events,state,text}}/**/*.test.ts",
  "src/windows/*/{wire,state}/**/*.test.ts",
  "src/features/*/*.test.ts",
  "src/features/*/web/**/*.test.ts",
  "src/web/**/*.test.ts",
  "test/clients/**/*.test.ts",
];
const CHROMIUM = ["src/features/browser/host/browser-host.test.ts", "test/e2e/browser.test.ts"];
const FAULTS = "test/faults/*.test.ts";
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
];
/** The journal itself is tried on both databases by its contract (src/kernel/journal), in `npm test`. */
const ALSO_ON_POSTGRES =
  "recovery recovery-of-work fencing drain many-windows volumes interplay restart subagents no-runner clock-jumps";

type Suite = { name: string; files: string[]; env?: NodeJS.ProcessEnv; room?: number };
const isLong = process.argv.includes("--long");

function quick(room: number): Suite[] {
  const elsewhere = new Set([...CHROMIUM, ...globSync(FAULTS)]);
  const files = globSync(TESTS).filter((file) => !elsewhere.has(file));
  return [
    { name: "pure tests", files: globSync(PURE) },
    { name: "tests", files, room },
  ];
}

function long(room: number): Suite[] {
  const tried = globSync([...PURE, ...TESTS]).filter((file) =>
    /\b(tries|LONG)\b/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  const onPostgres = ALSO_ON_POSTGRES.split(" ").map((name) => `test/e2e/${name}.test.ts`);
  return [
    { name: "every try", files: tried, env: { QUARTERDECK_TEST_LONG: "1" }, room },
    { name: "faults", files: globSync(FAULTS), room },
    { name: "deleted rooms", files: globSync("test/rooms/*.test.ts"), room },
    { name: "Chromium", files: CHROMIUM, room },
    {
      name: "end to end on Postgres",
      files: onPostgres,
      env: { QUARTERDECK_TEST_BACKEND: "postgres" },
      room,
    },
  ];
}

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
  const built = ["--import", join(ROOT, "test/support/built-hosts.ts")];
  const reporters = ["spec", join(ROOT, "scripts/slowest-files.ts")].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    "--test-reporter-destination=stdout",
  ]);
  const options = {
    stdio: "inherit",
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...env },
  } as const;
  const tests = spawn(
    process.execPath,
    [...built, "--test", ...limits, ...reporters, ...files],
    options,
  );
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

if (!(await quickChecks(isLong ? BUILDS : [...STATIC, ...BUILDS]))) process.exit(1);

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
  const room = availableParallelism() + 1; // most of them wait now and then: for a lease, a kill, a disk
  const codes: number[] = [];
  for (const { name, files, env, room: places } of isLong ? long(room) : quick(room)) {
    if (!stopped) codes.push(await runTests(name, files, { ...shared, ...env }, places));
  }
  process.exitCode = Math.max(...codes);
} finally {
  rmSync(homes, { recursive: true, force: true });
}
