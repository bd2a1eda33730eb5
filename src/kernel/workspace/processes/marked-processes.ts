// Finds processes by an entry of their environment and kills them. A process that left its group
// (setsid, double fork) still carries the mark; only one that cleared its own environment escapes.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../host/tool-error.ts";

const TRIES = 100;
const PAUSE_MS = 10;

/** Resolves once no process carries the mark (or will not die), with how many were killed. */
export async function killMarked(mark: { name: string; value: string }): Promise<number> {
  if (process.platform !== "linux") return 0;
  const killed = new Set<number>();
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const found = await findMarked(mark);
    const reached = found.filter(kill);
    for (const pid of reached) killed.add(pid);
    // Scanned again even so: a process may have forked between the scan and the signal.
    if (reached.length === 0) return killed.size;
    if (attempt > 0) await delay(PAUSE_MS); // a killed process takes a moment to let go of its memory
  }
  return killed.size;
}

export async function findMarked(mark: { name: string; value: string }): Promise<number[]> {
  const entry = Buffer.from(`\0${mark.name}=${mark.value}\0`);
  const pids = (await readdir("/proc"))
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
  const found: number[] = [];
  for (const pid of pids) {
    // Gone, a zombie, or another user's: none of them is ours to kill.
    const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
    if (environment && Buffer.concat([ZERO, environment, ZERO]).includes(entry)) found.push(pid);
  }
  return found;
}

const ZERO = Buffer.from([0]);

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch (error) {
    if (errnoOf(error) === "ESRCH" || errnoOf(error) === "EPERM") return false;
    throw error;
  }
}
