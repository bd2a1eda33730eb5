// Runs commands side by side. What one of them prints is shown when it has ended, so that nothing is mixed up.
import { spawn } from "node:child_process";
import { once } from "node:events";

export type Job = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
};
export type Ended = {
  readonly name: string;
  readonly ok: boolean;
  readonly output: string;
  readonly ms: number;
};

/** `places`: how many run at a time. Those that have not ended when `stop` is given are killed and missing here. */
export async function runJobs(
  jobs: readonly Job[],
  places: number,
  { stop, onEnd }: { stop?: AbortSignal; onEnd: (ended: Ended) => void },
): Promise<Ended[]> {
  const waiting = [...jobs];
  const results: Ended[] = [];
  const lane = async () => {
    for (let next = waiting.shift(); next && !stop?.aborted; next = waiting.shift()) {
      const ended = await run(next, stop);
      if (stop?.aborted) return;
      results.push(ended);
      onEnd(ended);
    }
  };
  await Promise.all(Array.from({ length: places }, lane));
  return results;
}

async function run({ name, command, args, env }: Job, stop?: AbortSignal): Promise<Ended> {
  const began = performance.now();
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const kill = () => void child.kill("SIGTERM");
  stop?.addEventListener("abort", kill);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  await once(child, "close");
  stop?.removeEventListener("abort", kill);
  return { name, ok: child.exitCode === 0, output, ms: performance.now() - began };
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
