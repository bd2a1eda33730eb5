// How much one machine handles on Postgres, for given numbers of runners, servers, streaming runs and viewers. It has no
// target and no floor: it shows what saturates first. Every process is real; the model is the demo, 50 words a second.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { startPostgres } from "../test/support/postgres/postgres.ts";
import { newTestHome, type TestHome } from "../test/support/program.ts";
import { end } from "./serve-only.ts";
import { quantile } from "./stats.ts";

type Size = { runners: number; servers: number; runs: number; viewers: number };
const SIZES: readonly Size[] = [
  { runners: 1, servers: 1, runs: 10, viewers: 1 },
  { runners: 1, servers: 1, runs: 40, viewers: 1 },
  { runners: 2, servers: 1, runs: 80, viewers: 1 },
  { runners: 3, servers: 2, runs: 80, viewers: 1 },
  { runners: 3, servers: 2, runs: 160, viewers: 1 },
  { runners: 3, servers: 2, runs: 20, viewers: 20 },
];
const WORDS = 500;
const PACE_MS = 20;
const MAIN = join(import.meta.dirname, "../src/main.ts");
const TICKS = 100; // of /proc/<pid>/stat, a second

console.log(
  "runners servers runs viewers | events/s delivered/s | p50 ms  p99 ms | slower by | CPU: work serve postgres here",
);
for (const size of SIZES) console.log(await measured(size));

async function measured(size: Size): Promise<string> {
  await using server = await startPostgres({ fsync: true });
  const url = await server.database();
  using place = newTestHome({ lease_ms: 30_000, max_runs: 200 });
  await using stack = new AsyncDisposableStack();
  const starting = (name: string) => started(name, place, url, stack);
  const first = await starting("serve");
  const more = await Promise.all(Array.from({ length: size.servers - 1 }, () => starting("serve")));
  const servers = [first, ...more];
  const runners = await Promise.all(Array.from({ length: size.runners }, () => starting("work")));

  const address = (at: number) => servers[at % servers.length]?.ready ?? "";
  const script = `pace ${PACE_MS}\ncount ${WORDS}`;
  const ids = await Promise.all(
    Array.from({ length: size.runs }, (_, at) => startedRun(address(at), script)),
  );
  const seen: number[] = [];
  const before = cpu(runners, servers, server.pid);
  const began = performance.now();
  await Promise.all(
    ids.flatMap((id, at) =>
      Array.from({ length: size.viewers }, (_, viewer) => viewed(address(at + viewer), id, seen)),
    ),
  );
  const seconds = (performance.now() - began) / 1_000;
  const used = cpu(runners, servers, server.pid).map(
    (after, at) => (after - (before[at] ?? 0)) / seconds,
  );
  const delivered = seen.length / seconds;
  const ideal = (WORDS * PACE_MS) / 1_000;
  return [
    `${size.runners}`.padStart(7),
    `${size.servers}`.padStart(7),
    `${size.runs}`.padStart(4),
    `${size.viewers}`.padStart(7),
    "|",
    `${Math.round(delivered / size.viewers)}`.padStart(8),
    `${Math.round(delivered)}`.padStart(11),
    "|",
    quantile(seen, 0.5).toFixed(1).padStart(6),
    quantile(seen, 0.99).toFixed(1).padStart(7),
    "|",
    `${(seconds / ideal).toFixed(2)}×`.padStart(9),
    "|",
    used.map((share) => share.toFixed(2)).join("  "),
  ].join(" ");
}

type Started = { readonly child: ChildProcess; readonly ready: string };

async function started(
  name: string,
  { home, workspace }: TestHome,
  url: string,
  stack: AsyncDisposableStack,
): Promise<Started> {
  const flags = ["--home", home, "--workspace", workspace, "--port", "0", "--no-auth"];
  const child = fork(MAIN, [name, ...flags], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, QUARTERDECK_DATABASE_URL: url },
  });
  stack.defer(() => end(child));
  const [message] = (await once(child, "message")) as [{ ready: string }];
  return { child, ready: message.ready };
}

async function startedRun(url: string, message: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ message });
  const answer = await fetch(`${url}/api/runs`, { method: "POST", headers, body });
  const { data } = (await answer.json()) as { data: { run_id: string } };
  return data.run_id;
}

/** One viewer of one run, to its end. Records the latency of each event. */
function viewed(url: string, runId: string, seen: number[]): Promise<void> {
  return new Promise((resolve) => {
    request(`${url}/api/runs/${runId}/events`, { agent: false }, (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const now = Date.now();
        for (const [, at] of chunk.matchAll(/"type":"token\.delta","created_at":([\d.]+)/g)) {
          seen.push(Math.max(0, now - Number(at) * 1_000));
        }
      });
      response.on("end", () => resolve());
    }).end();
  });
}

/** Seconds of CPU of runners (with their tool hosts' parents), servers, Postgres and this process. */
function cpu(
  runners: readonly Started[],
  servers: readonly Started[],
  postmaster: number,
): number[] {
  const of = (all: readonly Started[]) =>
    all.reduce((sum, { child }) => sum + secondsOf(child.pid ?? 0), 0);
  const { user, system } = process.cpuUsage();
  return [of(runners), of(servers), postgresSeconds(postmaster), (user + system) / 1e6];
}

function secondsOf(pid: number): number {
  return statOf(pid).seconds;
}

/** Including its children, also those that have ended. */
function postgresSeconds(postmaster: number): number {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const all = children.map((name) => statOf(Number(name)));
  const own = all.filter(({ parent }) => parent === postmaster);
  return own.reduce((sum, { seconds }) => sum + seconds, statOf(postmaster).seconds);
}

function statOf(pid: number): { parent: number; seconds: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [, parent, , , , , , , , , , user, system, ended, endedSystem] = fields.map(Number);
    const ticks = (user ?? 0) + (system ?? 0) + (ended ?? 0) + (endedSystem ?? 0);
    return { parent: parent ?? 0, seconds: ticks / TICKS };
  } catch {
    return { parent: 0, seconds: 0 };
  }
}
