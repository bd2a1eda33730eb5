// One trial: a fresh home, the real program, a client that drops and comes back, a person who
// answers, and kills at moments drawn from the seed.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { followRun } from "../support/follow.ts";
import { call, startRun, type Server } from "../support/http.ts";
import { kill, newPlace, startProgram, type Program } from "../support/program.ts";
import { judge } from "./oracle.ts";
import { seeded } from "./random.ts";
import { drawScenario, type Fault } from "./scenario.ts";

export type TrialResult = { seed: number; fired: string[]; problems: string[]; ms: number };

export async function runTrial(seed: number): Promise<TrialResult> {
  const began = performance.now();
  const random = seeded(seed);
  const scenario = drawScenario(random);
  using place = newPlace({ resume_attempts: 50 });
  let program = await startProgram(place);
  const fired: string[] = [];
  const waiting = [...scenario.faults];
  let breaking = Promise.resolve();
  const stop = new AbortController();
  try {
    const { run_id: runId } = await startRun(program, scenario.script, {
      message_id: `trial-${seed}`,
    });
    const person = answerEverything(() => program, runId, stop.signal);
    const followed = await followRun(() => program, runId, {
      dropAfter: () => random.between(5, 120),
      onFrame: (_event, seq) => {
        while (waiting[0] && seq >= waiting[0].atSeq) {
          const fault = waiting.shift() as Fault;
          breaking = breaking.then(() => strike(fault));
        }
      },
    });
    stop.abort();
    await Promise.all([breaking, person]);
    await program.kill("all");
    const problems = judge(place, { runId, frames: followed.frames }, scenario);
    return { seed, fired, problems, ms: Math.round(performance.now() - began) };
  } catch (error) {
    const problems = [(error as Error).stack ?? String(error), program.output()];
    return { seed, fired, problems, ms: Math.round(performance.now() - began) };
  } finally {
    stop.abort();
    await program[Symbol.asyncDispose]();
  }

  async function strike({ target }: Fault): Promise<void> {
    if (target === "everything") {
      await program.kill("all");
      program = await startProgram(place);
      fired.push(target);
      return;
    }
    const pids = target === "tool host" ? await toolHosts(program) : await program.kill(target);
    if (target === "tool host") for (const pid of pids) kill(pid, "SIGKILL");
    if (pids.length > 0) fired.push(target);
  }
}

async function toolHosts(program: Program): Promise<number[]> {
  const { runners } = await program.status();
  const parents = new Set(runners.map(({ pid }) => pid));
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
        return (
          parents.has(parent) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("tool-host")
        );
      } catch {
        return false; // it ended while we looked
      }
    });
}

type Pending = { pending: { request_id: string; run_id: string; kind: string }[] };
const ANSWERS = { approval: "once", clarify: "yes", unknown_outcome: "skip" } as const;

/** Says yes to approvals and questions and skips what is unknown: never a second try. */
async function answerEverything(
  server: () => Server,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const listed = await call<Pending>(server(), "GET", "/api/pending").catch(() => undefined);
    for (const { kind, request_id, run_id } of listed?.body.data?.pending ?? []) {
      const answer = ANSWERS[kind as keyof typeof ANSWERS];
      const path =
        kind === "approval"
          ? [`/api/runs/${run_id}/approvals/${request_id}`, { choice: answer }]
          : [`/api/runs/${run_id}/clarifications/${request_id}`, { response: answer }];
      await call(server(), "POST", path[0] as string, path[1]).catch(() => undefined);
    }
    await delay(20, undefined, { signal }).catch(() => undefined);
  }
}
