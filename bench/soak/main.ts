// npm run soak -- --minutes 30: the program under steady load. Prints once a minute what each process uses, and at the
// end how fast each figure grew in the second half. A figure that levels off has a slope near zero there.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeProfile } from "../../test/support/profiles.ts";
import { newTestHome, startProgram } from "../../test/support/program.ts";
import { textOf } from "../../test/support/runs.ts";
import { keepBusy, type Counts } from "./load.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
const minutes = Number(values.minutes);
const MIB = 1 << 20;

using place = newTestHome({ lease_ms: 10_000 });
const folder = join(place.workspace, "..", "soak");
mkdirSync(folder);
writeProfile(place, "default", {
  settings: { permissions: [{ effect: "allow", tool: "exec", argv: ["echo"] }] },
});
const probe = join(import.meta.dirname, "probe.ts");
const env = { NODE_OPTIONS: `--import=${probe}`, QUARTERDECK_SOAK: folder };
await using program = await startProgram(place, { env });
const counts: Counts = { runs: 0, failed: 0, connections: 0, terminals: 0 };
const over = new AbortController();
const busy = keepBusy(program, place, counts, over.signal);
busy.catch((error: unknown) => console.error("the load ended", error));

type Sample = Record<string, number>;
const samples: Sample[] = [];
for (let minute = 1; minute <= minutes; minute += 1) {
  await delay(60_000);
  const sample = look();
  samples.push(sample);
  console.log(`minute ${minute}`, JSON.stringify(sample));
}
over.abort();
await busy.catch(() => undefined);
const half = samples.slice(Math.floor(samples.length / 2));
console.log(
  "\n| figure | first minute | half-way | last | per minute in the second half |\n|---|---|---|---|---|",
);
for (const name of Object.keys(samples.at(-1) ?? {})) {
  const [first, middle, last] = [samples[0], half[0], samples.at(-1)].map(
    (one) => one?.[name] ?? 0,
  );
  console.log(
    `| ${name} | ${first} | ${middle} | ${last} | ${slope(half.map((one) => one[name] ?? 0))} |`,
  );
}

function look(): Sample {
  const below = descendants(program.child.pid as number);
  const sample: Sample = { ...counts };
  for (const kind of ["up", "serve", "work"]) {
    const emitted = textOf(join(folder, kind));
    if (emitted === "") continue; // it has not run long enough
    const memory = JSON.parse(emitted) as { pid: number; heapUsed: number; external: number };
    sample[`${kind} RSS MB`] = residentOf(memory.pid);
    sample[`${kind} heap after GC MB`] = rounded(memory.heapUsed / MIB);
    sample[`${kind} external MB`] = rounded(memory.external / MIB);
    sample[`${kind} descriptors`] = readdirSync(`/proc/${memory.pid}/fd`).length;
  }
  sample["processes"] = below.length;
  const hosts = below.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes("/workspace/host/"));
  sample["tool host processes"] = hosts.length;
  sample["tool hosts RSS MB"] = rounded(hosts.reduce((sum, pid) => sum + residentOf(pid), 0));
  sample["journal MB"] = rounded(statSync(join(place.home, "journal.db")).size / MIB);
  sample["WAL MB"] = rounded(statSync(join(place.home, "journal.db-wal")).size / MIB);
  return sample;
}

function residentOf(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`));
  return rounded(Number(found?.[1] ?? 0) / 1_024);
}

function descendants(pid: number): number[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`)
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return [pid, ...children.flatMap(descendants)];
}

/** Least squares, for equal steps. */
function slope(figures: readonly number[]): number {
  const middle = (figures.length - 1) / 2;
  const mean = figures.reduce((sum, one) => sum + one, 0) / figures.length;
  const [up, across] = figures.reduce<[number, number]>(
    ([a, b], one, at) => [a + (at - middle) * (one - mean), b + (at - middle) ** 2],
    [0, 0],
  );
  return rounded(across === 0 ? 0 : up / across);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
