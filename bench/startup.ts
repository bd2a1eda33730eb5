// The time from `up` to the first answer, and the memory of each idle process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { MAIN, newTestHome, startProgram } from "../test/support/program.ts";
import { median, type Line } from "./stats.ts";

const ROUNDS = 5;
const PORT = 18_731;

export async function benchStartup(): Promise<Line[]> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(await bareNode());
    ours.push(await firstAnswer());
  }
  const common = { floor: undefined, better: "lower" } as const;
  const start = { what: "start to first 200 (floor: an empty Node process)", unit: "ms" };
  const memory = await idleMemory();
  return [
    { ...start, ours: median(ours), floor: median(floor), better: "lower", goal: "≤ 1,000 ms" },
    ...memory.map(([name, mb]) => ({
      what: `idle memory, ${name}`,
      ours: mb,
      unit: "MB",
      ...common,
      goal: "≤ 120",
    })),
  ];
}

async function firstAnswer(): Promise<number> {
  using place = newTestHome();
  const began = performance.now();
  const flags = ["--home", place.home, "--workspace", place.workspace, "--port", String(PORT)];
  const child = spawn(process.execPath, [MAIN, "up", ...flags], { stdio: "ignore" });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/api/gui/health`).catch(() => undefined);
    if (answer?.ok) break;
    await delay(5);
  }
  const took = performance.now() - began;
  child.kill("SIGTERM");
  await once(child, "exit");
  return took;
}

async function bareNode(): Promise<number> {
  const began = performance.now();
  await once(spawn(process.execPath, ["-e", ""], { stdio: "ignore" }), "exit");
  return performance.now() - began;
}

async function idleMemory(): Promise<[string, number][]> {
  using place = newTestHome();
  await using program = await startProgram(place);
  await fetch(`${program.url}/api/gui/health`);
  await delay(2_000); // idle means settled
  const { serve, runners } = await program.status();
  const pids = { up: program.child.pid, serve: serve?.pid, work: runners[0]?.pid };
  return Object.entries(pids).map(([name, pid]) => [name, residentMb(pid ?? 0)]);
}

function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1_024;
}
