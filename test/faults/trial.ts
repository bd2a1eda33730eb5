// One trial: a fresh home, the real program, a client that drops and comes back, a person who
// answers, and kills at moments drawn from the seed.
import { readdirSync, readFileSync } from "node:fs";
import { followRun } from "../support/follow.ts";
import { startRun } from "../support/http.ts";
import { kill, newTestHome, startProgram, type Program } from "../support/program.ts";
import { areOver, checkDelivery, checkLogs, checkOnce, judgeRun, readStored } from "./oracle.ts";
import { until } from "../support/until.ts";
import { answerEverything } from "./person.ts";
import { seeded } from "./random.ts";
import type { TrialResult } from "./run-trials.ts";
import { drawScenario, type Fault } from "./scenario.ts";
import { say, type Said } from "./words.ts";

export async function runTrial(seed: number): Promise<TrialResult> {
  const began = performance.now();
  const random = seeded(seed);
  const scenario = drawScenario(random);
  using place = newTestHome({ resume_attempts: 50 });
  let program = await startProgram(place);
  const fired: string[] = [];
  const waiting = [...scenario.faults];
  const words = [...scenario.words];
  let breaking = Promise.resolve();
  const stop = new AbortController();
  try {
    const { run_id: runId } = await startRun(program, scenario.script, {
      message_id: `trial-${seed}`,
    });
    const person = answerEverything(() => program, stop.signal);
    const said: Promise<Said | undefined>[] = [];
    const speak = (seq: number) => {
      for (let [word] = words; word && word.after <= seq; [word] = words) {
        words.shift();
        const about = { runId, word, id: `${word.says}-${words.length}` };
        said.push(say(() => program, about, stop.signal));
      }
    };
    speak(0);
    const followed = await followRun(() => program, runId, {
      dropAfter: () => random.between(5, 120),
      onFrame: (_event, seq) => {
        speak(seq);
        while (waiting[0] && seq >= waiting[0].atSeq) {
          const fault = waiting.shift() as Fault;
          breaking = breaking.then(() => strike(fault));
        }
      },
    });
    const answered = await Promise.all(said); // what was said to the very end is answered, too
    stop.abort();
    await Promise.all([breaking, person]);
    await until(async () => areOver(await readStored(place)), "every run to be over");
    await program.kill("all");
    const stored = await readStored(place);
    const own = stored.filter(({ log_id }) => log_id === runId);
    const problems = [
      ...checkDelivery(own, followed.frames),
      ...checkLogs(stored),
      ...checkOnce(stored),
      ...judgeRun(stored, runId, place.workspace, {
        ...scenario,
        said: answered.flatMap((one) => one ?? []),
      }),
    ];
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
          parents.has(parent) &&
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("/workspace/host/")
        );
      } catch {
        return false; // it ended while we looked
      }
    });
}
