// Ends every process of one test server and leaves nothing of it in the system. Its processes are found by the server's
// name, not by the stored pid: that pid may have been reused, and children of a killed postmaster would be missed (each
// leads its own group).
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { kill } from "../kill.ts";
import { until } from "../until.ts";

/** Where a server keeps its data, inside its directory. */
export const dataOf = (directory: string) => join(directory, "data");

/**
 * The name of a directory's server: it is in the command line of its postmaster and of
 * initdb as part of a path, and in the title of every other process as `cluster_name`.
 */
export const nameOf = (directory: string) => basename(directory);

/** SIGKILL to all of them. Afterwards the data directory is as a crash leaves it. */
export async function killServer(directory: string): Promise<void> {
  await until(() => {
    const pids = processesOf(directory); // again and again: a postmaster may fork meanwhile
    for (const pid of pids) kill(pid, "SIGKILL");
    return pids.length === 0;
  }, "the end of Postgres");
  forgetSharedMemory(directory);
}

export function processesOf(directory: string): number[] {
  return commands()
    .filter(([, command]) => command.includes(nameOf(directory)))
    .filter(([, command]) => /\b(postgres|initdb)\b/.test(command))
    .map(([pid]) => pid);
}

/** Every process with its command line. Slim containers have no ps, macOS has no /proc. */
function commands(): [pid: number, command: string][] {
  if (!existsSync("/proc/self/cmdline")) {
    const lines = execFileSync("ps", ["-A", "-ww", "-o", "pid=,command="], { encoding: "utf8" });
    return lines.split("\n").map((line) => [Number.parseInt(line, 10), line]);
  }
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => [Number(pid), commandLine(pid)]);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // It has ended already.
  }
}

/** A killed postmaster leaves a System V segment behind; a machine has room for some thousands. */
function forgetSharedMemory(directory: string): void {
  const note = join(dataOf(directory), "postmaster.pid");
  if (!existsSync(note)) return;
  const segment = /^ *\d+ +(\d+)$/m.exec(readFileSync(note, "utf8"))?.[1];
  try {
    if (segment) execFileSync("ipcrm", ["-m", segment], { stdio: "ignore" });
  } catch {
    // No ipcrm here, or Postgres has removed it itself.
  }
  rmSync(note); // else the next start is refused when that pid is in use again
}
