// Whether a registered process is still running. A pid alone is not enough, because pids are reused.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessRecord } from "./journal.ts";

/** A value that differs between two processes with the same pid, if the system has one. */
export function startedAt(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

export function thisProcess(kind: ProcessRecord["kind"], id: string, url?: string): ProcessRecord {
  const { pid } = process;
  const about = { pid, started: startedAt(pid), host: hostname(), url: url ?? null };
  return { process_id: id, kind, ...about, volumes: [] };
}

/** Undefined for a process on another machine: only its lease shows whether it is alive. */
export function isAlive({
  pid,
  started,
  host,
}: Pick<ProcessRecord, "pid" | "started" | "host">): boolean | undefined {
  if (host !== hostname()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid) && started === startedAt(pid);
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}
