// Registers the process group of every command, so that nothing outlives the host. The leash, a tiny shell on the
// other end of a pipe, knows every group and kills them when the pipe ends: the host may die by SIGKILL.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Writable } from "node:stream";
import { errnoOf } from "../host/tool-error.ts";

const LEASH = `
groups=
while read -r change id; do
  case $change in
    +) groups="$groups $id" ;;
    -) rest=
       for group in $groups; do [ "$group" = "$id" ] || rest="$rest $group"; done
       groups=$rest ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
`;

type Leash = ChildProcessByStdio<Writable, null, null>;

export type ProcessGroups = {
  add(group: number): void;
  /** Also after its leader has gone: the group lives as long as any of its members does. */
  signal(group: number, signal: "SIGTERM" | "SIGKILL"): void;
  remove(group: number): void;
  killAll(): void;
  isEmpty(): boolean;
  /** The leash's pid: it is ours and no command's. */
  leash(): number | undefined;
};

export function createProcessGroups(): ProcessGroups {
  const live = new Set<number>();
  let leash: Leash | undefined;

  function emit(change: "+" | "-", group: number): void {
    if (leash) leash.stdin.write(`${change} ${group}\n`);
    else if (change === "+") leash = startLeash();
  }

  function startLeash(): Leash {
    const child = spawn("/bin/sh", ["-c", LEASH], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      env: {},
    });
    const gone = () => {
      if (leash === child) leash = undefined; // the next command starts another
    };
    child.on("error", gone);
    child.on("exit", gone);
    child.stdin.on("error", gone);
    child.unref();
    for (const group of live) child.stdin.write(`+ ${group}\n`);
    return child;
  }

  return {
    add(group) {
      live.add(group);
      emit("+", group);
    },
    signal,
    remove(group) {
      live.delete(group);
      emit("-", group);
    },
    killAll() {
      for (const group of live) signal(group, "SIGKILL");
    },
    isEmpty: () => live.size === 0,
    leash: () => leash?.pid,
  };
}

function signal(group: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-group, name);
  } catch (error) {
    // ESRCH: all gone. EPERM: only zombies or another user's processes are left.
    if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
  }
}
