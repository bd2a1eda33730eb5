// A process that is stopped (SIGSTOP) in the middle of a commit keeps SQLite's write lock, and every writer waits for it
// (X5). Killing it is safe at any moment, because its uncommitted transaction never happened. A process that merely
// waits or works slowly is left alone.
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";

const WRITE_LOCK = "120"; // the byte of the -shm file that a writer holds in WAL mode

/** Kills a stopped process that holds the write lock of this journal. Linux only; false elsewhere. */
export function endStoppedWriter(journal: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    const pid = writerOf(`${journal}-shm`);
    if (pid === undefined || !isStopped(pid)) return false;
    return process.kill(pid, "SIGKILL");
  } catch {
    return false; // it has just ended, or belongs to another user
  }
}

function writerOf(shm: string): number | undefined {
  const { ino } = statSync(shm);
  const path = realpathSync(shm);
  for (const line of readFileSync("/proc/locks", "utf8").split("\n")) {
    // 12: POSIX  ADVISORY  WRITE 9387 fe:00:2146997 120 120
    const [, , , kind, pid, file = "", first] = line.trim().split(/\s+/);
    const ours = kind === "WRITE" && first === WRITE_LOCK && file.endsWith(`:${ino}`);
    if (ours && hasOpen(Number(pid), path)) return Number(pid);
  }
  return undefined;
}

/** Inodes are unique only within a file system: the process must really have this file open. */
function hasOpen(pid: number, path: string): boolean {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).some((fd) => {
    try {
      return readlinkSync(`${directory}/${fd}`) === path;
    } catch {
      return false; // closed meanwhile
    }
  });
}

function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
}
