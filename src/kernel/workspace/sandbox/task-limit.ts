// A kernel limit on the tasks of a whole tool host, for root, whom no other limit binds: a fork bomb must not take
// the machine before the watchdog has looked. Best effort: without writable control groups there is only the
// watchdog.
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PLACES = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"]; // version 1, version 2
const PREFIX = "quarterdeck-";
const YOUNG_MS = 60_000; // longer than any host takes to start
/** Far above the watchdog's own limit, and threads count: only how bad it can get between two looks. */
export const MAX_TASKS = 4_096;

/** What to put before a command so that it and all it starts are bound; nothing where that is impossible. */
export function limitTasks(mark: string, processes: number): string[] {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return [];
  for (const place of PLACES) {
    const group = join(place, `${PREFIX}${mark}`);
    try {
      if (!existsSync(join(place, "cgroup.procs"))) continue;
      removeEmpty(place);
      mkdirSync(group);
      writeFileSync(join(group, "pids.max"), String(Math.max(MAX_TASKS, processes * 4)));
      return ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', join(group, "cgroup.procs")];
    } catch {
      remove(group); // read-only, or without the pids controller
    }
  }
  return [];
}

/**
 * Left by hosts that ended: the kernel refuses to remove a group that still has a process. A young one may be
 * of a host that has yet to go into it, and would start without a bound.
 */
function removeEmpty(place: string): void {
  for (const name of readdirSync(place)) {
    if (name.startsWith(PREFIX) && !isYoung(join(place, name))) remove(join(place, name));
  }
}

function isYoung(group: string): boolean {
  const made = statSync(group, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - made < YOUNG_MS;
}

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Not there, or in use.
  }
}
