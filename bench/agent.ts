// The agent's overhead: per turn over the bare model call, per tool call over the bare process, and many runs at once on
// one runner. The model is a scripted server in this process.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { call, startRun, type Server } from "../test/support/http.ts";
import { followRun } from "../test/support/follow.ts";
import {
  finish,
  startModelServer,
  textChunk,
  waitFor,
} from "../test/support/models/model-server.ts";
import { newTestHome, startProgram } from "../test/support/program.ts";
import { startAgent, type AgentStep } from "../test/support/models/scripted-agent.ts";
import { median, quantile, type Line } from "./stats.ts";

const TURNS = 60;
const RUNS = 50;
const CHUNKS = 100;
const CHUNK_EVERY_MS = 50;
const MODEL = "scripted/agent";

export async function benchAgent(): Promise<Line[]> {
  const turn = await turnOverhead();
  const tools = await toolOverhead(turn.ours);
  return [turn.line, ...tools, ...(await manyRuns())];
}

type Todo = { name: string; args: Record<string, unknown> };
const NOTHING: Todo = { name: "todo", args: { items: [] } };
const TRUE: Todo = { name: "exec", args: { command: "true" } };
const READ: Todo = { name: "read", args: { path: "file" } };

const steps = (each: Todo): AgentStep[] => [
  ...Array.from({ length: TURNS }, () => ({ calls: [each] })),
  { say: "Done." },
];

/** Milliseconds per turn of a run that makes one such call in each. */
async function msPerTurn(each: Todo): Promise<number> {
  await using model = await startAgent(steps(each));
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await startProgram(place);
  const session_id = "bench";
  await call(program, "POST", "/api/sessions", { session_id });
  await call(program, "POST", `/api/sessions/${session_id}/settings`, { yolo: true });
  await followRun(
    () => program,
    (await startRun(program, "warm", { session_id, model: MODEL })).run_id,
  );
  const began = performance.now();
  const { run_id } = await startRun(program, "go", { session_id, model: MODEL });
  await followRun(() => program, run_id);
  return (performance.now() - began) / (TURNS + 1);
}

async function turnOverhead() {
  const ours = await msPerTurn(NOTHING);
  const floor = await bareModelCall();
  const line: Line = {
    what: "one turn with a call that does nothing",
    ours,
    floor,
    unit: "ms",
    better: "lower",
    goal: "(floor: the bare model call)",
  };
  return { ours, line };
}

/** The same request and answer without an agent. */
async function bareModelCall(): Promise<number> {
  await using model = await startAgent(steps(NOTHING));
  const times: number[] = [];
  const messages = [{ role: "user", content: "go" }];
  const body = JSON.stringify({ model: "agent", stream: true, messages, tools: [{}] });
  for (let at = 0; at < TURNS; at += 1) {
    const began = performance.now();
    const headers = { "content-type": "application/json" };
    const url = `${model.baseUrl}/chat/completions`;
    await (await fetch(url, { method: "POST", headers, body })).text();
    times.push(performance.now() - began);
  }
  return median(times);
}

async function toolOverhead(turnMs: number): Promise<Line[]> {
  const floor = await bareCommand();
  const exec = (await msPerTurn(TRUE)) - turnMs;
  const read = (await msPerTurn(READ)) - turnMs;
  const common = { unit: "ms", better: "lower" } as const;
  return [
    {
      ...common,
      what: "exec true (floor: sh -c true)",
      ours: exec,
      floor,
      goal: "≤ floor + 5 ms",
    },
    { ...common, what: "read of a file", ours: read, floor: undefined, goal: "≤ 5 ms" },
  ];
}

/** In a separate process, because spawning from a process as large as this one takes longer. */
async function bareCommand(): Promise<number> {
  const script = `
    const { spawn } = require("node:child_process");
    const times = [];
    (function next() {
      const began = performance.now();
      spawn("/bin/sh", ["-c", "true"], { stdio: "ignore" }).on("exit", () => {
        times.push(performance.now() - began);
        if (times.length < ${TURNS}) next();
        else console.log(times.sort((a, b) => a - b)[${TURNS} >> 1]);
      });
    })();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  return Number(stdout);
}

/** Every run streams 20 pieces a second; each piece carries the time at which it was sent. */
async function manyRuns(): Promise<Line[]> {
  const begin = Promise.withResolvers<void>();
  await using model = await startModelServer(async function* () {
    yield textChunk("ready ");
    yield waitFor(begin.promise);
    for (let at = 0; at < CHUNKS; at += 1) {
      yield waitFor(delay(CHUNK_EVERY_MS * (0.5 + Math.random())));
      yield textChunk(`@${performance.now()}@ `);
    }
    yield finish("stop");
  });
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await startProgram(place);
  const worker = (await program.status()).runners[0]?.pid ?? process.pid;
  await followRun(
    () => program,
    (await startRun(program, "say hello", { model: "demo/demo" })).run_id,
  );
  const idle = residentMb(worker);
  const runs = await Promise.all(
    Array.from({ length: RUNS }, () => startRun(program, "go", { model: MODEL })),
  );
  const seen = runs.map(({ run_id }) => latencies(program, run_id));
  await model.request(RUNS - 1);
  begin.resolve();
  const halfway = delay((CHUNKS * CHUNK_EVERY_MS) / 2).then(() => residentMb(worker));
  const all = (await Promise.all(seen)).flat();
  const memory = ((await halfway) - idle) / RUNS;
  const common = { unit: "ms", floor: undefined, better: "lower" } as const;
  const what = `${RUNS} runs at once, model chunk → client`;
  return [
    { ...common, what: `${what}, p50`, ours: median(all), goal: "" },
    { ...common, what: `${what}, p99`, ours: quantile(all, 0.99), goal: "≤ 50 ms" },
    { ...common, what: "memory per active run", ours: memory, unit: "MB", goal: "≤ 5" },
  ];
}

/** The latency of every piece: from the model's write to its arrival here, through journal and server. */
function latencies({ url, token }: Server, runId: string): Promise<number[]> {
  return new Promise((resolve) => {
    const found: number[] = [];
    let rest = "";
    const headers = { authorization: `Bearer ${token}` };
    request(`${url}/api/runs/${runId}/events`, { headers, agent: false }, (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const now = performance.now();
        rest += chunk;
        const end = rest.lastIndexOf("\n\n");
        if (end < 0) return;
        const deltas = rest
          .slice(0, end)
          .split("\n\n")
          .filter((frame) => frame.includes('"token.delta"'));
        rest = rest.slice(end + 2);
        for (const frame of deltas) {
          for (const [, at] of frame.matchAll(/@([\d.]+)@/g)) found.push(now - Number(at));
        }
      });
      response.on("end", () => resolve(found));
    }).end();
  });
}

function residentMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1_024;
}
