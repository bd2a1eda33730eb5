// npm test: the builds, then the static checks and the tests side by side. A static check that fails ends the tests.
// npm run test:long: what takes longer and proves more of the same. CI runs both. `node scripts/test.ts <suite>` runs
// one of its suites. One Postgres serves all of them.
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startPostgres } from "../test/support/postgres/postgres.ts";
import { runJobs, seconds, type Ended, type Job } from "./jobs.ts";
import { BUILDS, quickChecks, showCheck, STATIC } from "./quick-checks.ts";
import { showTests, summary } from "./test-output.ts";

const ROOT = join(import.meta.dirname, "..");
/** Hundreds of files load much the same modules: a third of a second less for most of them. */
const COMPILED = join(ROOT, "node_modules/.cache/compiled");
const CHROMIUM = globSync("{src,test}/**/*.chromium.test.ts");
const FAULTS = globSync("test/faults/*.test.ts");
/** Processes, databases and sandboxes under more load than a guarantee needs to be seen once. */
const MACHINES = globSync([
  "test/e2e/machines/*.test.ts",
  "test/e2e/**/*.pg.test.ts",
  "test/support/**/*.pg.test.ts",
]);
const ELSEWHERE = new Set([
  ...CHROMIUM,
  ...FAULTS,
  ...MACHINES,
  ...globSync("test/{browser,rooms}/**/*.test.ts"),
]);
/** They start our programs and kill them, or change what all of a process shares: each has one of its own. */
const APART = /\.(?:chromium|pg|proc)\.test\.ts$|^test\/(?:faults|rooms)\//;
/** Small files that run hundreds of tests from elsewhere. */
const CONTRACT = /\/journal\/(?:postgres\/postgres|sqlite\/sqlite)\./;
const PER_PROCESS = 12;

type Suite = { readonly files: readonly string[]; readonly env?: NodeJS.ProcessEnv };

const all = globSync("{src,test}/**/*.test.ts").filter((file) => !ELSEWHERE.has(file));
const tried = all.filter((file) => /\b(tries|LONG)\b/.test(readFileSync(join(ROOT, file), "utf8")));
const QUICK: Record<string, Suite> = { quick: { files: all } };
const LONG: Record<string, Suite> = {
  tries: { files: tried, env: { QUARTERDECK_TEST_LONG: "1" } },
  faults: { files: FAULTS },
  rooms: { files: globSync("test/rooms/*.test.ts") },
  chromium: { files: CHROMIUM },
  machines: { files: MACHINES },
  databases: {
    files: globSync("test/e2e/recovery/*.test.ts"), // the contract of the journal is tried on both in `npm test`
    env: { QUARTERDECK_TEST_BACKEND: "postgres" },
  },
};
/** By hand: all end-to-end tests on Postgres, also those that differ in nothing that a database does. */
const BY_HAND: Record<string, Suite> = {
  postgres: {
    files: globSync("test/e2e/**/*.test.ts").filter((file) => !CHROMIUM.includes(file)),
    env: { QUARTERDECK_TEST_BACKEND: "postgres" },
  },
};

/** Loading takes most of the time of a small file: those of a room share a process. */
function inProcesses(files: readonly string[]): string[][] {
  const alone = files.filter((file) => APART.test(file));
  const rooms = Map.groupBy(
    files.filter((file) => !APART.test(file)),
    (file) =>
      dirname(file)
        .split("/")
        .slice(0, file.startsWith("src/kernel/") ? 3 : 2)
        .join("/"),
  );
  const shared = [...rooms.values()].flatMap((room) => {
    const parts = Math.ceil(room.length / PER_PROCESS);
    return Array.from({ length: parts }, (_, part) =>
      room.slice((part * room.length) / parts, ((part + 1) * room.length) / parts),
    );
  });
  // The longest first, so that none runs on alone at the end: the journal's contract, then by size.
  const length = (file: string) =>
    CONTRACT.test(file) ? Number.MAX_SAFE_INTEGER : statSync(join(ROOT, file)).size;
  const largestFirst = alone.toSorted((a, b) => length(b) - length(a));
  return [...shared, ...largestFirst.map((file) => [file])];
}

function jobOf(files: readonly string[], env: NodeJS.ProcessEnv): Job {
  const [first = ""] = files;
  const flags = ["--test", "--test-isolation=none", "--test-reporter=spec"];
  const hosts = ["--import", join(ROOT, "test/support/built-hosts.ts")];
  return {
    name: files.length > 1 ? `${first} and ${files.length - 1} more` : first,
    command: process.execPath,
    args: [...hosts, ...flags, "--test-timeout=300000", ...files], // a hang is a failure
    env: { ...env, NODE_COMPILE_CACHE: COMPILED },
  };
}

/** Where tests keep their homes: in memory where there is room for them. Nothing here pulls the plug. */
function roomForHomes(): string {
  const inMemory = "/dev/shm";
  if (!existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize > 4 * 1024 ** 3 ? inMemory : tmpdir();
}

function asked(name = "quick"): Record<string, Suite> {
  const suites = { ...QUICK, ...LONG, ...BY_HAND };
  const suite = suites[name];
  if (name !== "long" && !suite) {
    console.error(`No suite ${name}. There are: long, ${Object.keys(suites).join(", ")}.`);
    process.exit(2);
  }
  return suite ? { [name]: suite } : LONG;
}

const suites = asked(process.argv[2]);
if (!(await quickChecks(BUILDS))) process.exit(1);

const stopping = new AbortController();
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(signal, () => stopping.abort());
}
const homes = mkdtempSync(join(roomForHomes(), "qd-tests-"));
chmodSync(homes, 0o755); // Postgres runs as somebody else where we are root
process.env["TMPDIR"] = homes;
const began = performance.now();
try {
  await using postgres = await startPostgres({ fsync: false });
  const shared = {
    QUARTERDECK_TEST_POSTGRES_URL: postgres.url,
    QUARTERDECK_TEST_PROGRAM: join(ROOT, "dist/main.js"),
  };
  const checks = "quick" in suites ? STATIC : [];
  const tests = Object.values(suites).flatMap(({ files, env }) =>
    inProcesses(files).map((group) => jobOf(group, { ...shared, ...env })),
  );
  const isCheck = new Set(checks.map(({ name }) => name));
  const onEnd = (ended: Ended) => {
    if (!isCheck.has(ended.name)) return showTests(ended);
    showCheck(ended);
    if (!ended.ok) stopping.abort(); // a typo must not cost minutes
  };
  const places = availableParallelism() + 1; // most of them wait now and then: for a lease, a kill, a disk
  const ended = await runJobs([...checks, ...tests], places, { stop: stopping.signal, onEnd });
  console.log(summary(ended.filter(({ name }) => !isCheck.has(name))));
  const ok = !stopping.signal.aborted && ended.every((job) => job.ok);
  console.log(`${ok ? "✔" : "✖"} all of it (${seconds(performance.now() - began)})`);
  process.exitCode = ok ? 0 : 1;
} finally {
  rmSync(homes, { recursive: true, force: true });
}
