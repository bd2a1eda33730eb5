// Lists the system calls by which a command reads or writes its home, and kills the command at one of them or makes one
// fail. Linux with strace: it counts calls by name and thread, so a recording of one trial says where the next one fails.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { MAIN } from "./program.ts";

export const WRITING = [
  ..."openat write writev pwrite64 pwritev rename renameat renameat2 unlink unlinkat rmdir".split(
    " ",
  ),
  ..."fsync fdatasync ftruncate mkdir mkdirat link linkat chmod fchmod fchmodat fallocate".split(
    " ",
  ),
  ..."bind copy_file_range".split(" "),
];

export const canTrace =
  process.platform === "linux" &&
  spawnSync("strace", ["-f", "-o", "/dev/null", "-e", "trace=fsync", "true"]).status === 0;

/** The `nth` call of that name by its thread. */
export type TracedCall = { readonly name: string; readonly nth: number; readonly text: string };
export type Command = {
  readonly args: readonly string[];
  /** What a long-running command prints when it has started. */
  readonly started?: RegExp;
};
export type Ended = {
  readonly killed: boolean;
  readonly code: number | null;
  readonly output: string;
};

/** Runs the command to its end and lists its calls of those names that are about a file below `home`. */
export async function recordCalls(
  command: Command,
  { home, trace, names }: { home: string; trace: string; names: readonly string[] },
): Promise<TracedCall[]> {
  const ended = await traced(command, ["-y", "-o", trace, "-e", `trace=${names.join(",")}`]);
  if (ended.code !== 0) throw new Error(`${command.args.join(" ")} failed: ${ended.output}`);
  const counts = new Map<string, number>();
  const found: TracedCall[] = [];
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const [, thread = "", name = "", rest = ""] = /^(\d+)\s+(\w+)\((.*)/.exec(line) ?? [];
    if (!names.includes(name)) continue;
    const nth = (counts.get(thread + name) ?? 0) + 1;
    counts.set(thread + name, nth);
    const writes = name !== "openat" || rest.includes("O_CREAT");
    if (writes && rest.includes(home))
      found.push({ name, nth, text: `${name}(${rest}`.slice(0, 120) });
  }
  return found;
}

/** Kills it when it enters the call, or after it has ended by itself. */
export function killAt(command: Command, { name, nth }: TracedCall): Promise<Ended> {
  const inject = `inject=${name}:signal=SIGKILL:when=${nth}`;
  return traced(command, ["-o", "/dev/null", "-e", `trace=${name}`, "-e", inject]);
}

/** Makes that call fail, once or from then on. */
export function failAt(
  command: Command,
  { name, nth, error, always = false }: Pick<TracedCall, "name" | "nth"> & Failure,
): Promise<Ended> {
  const inject = `inject=${name}:error=${error}:when=${nth}${always ? "+" : ""}`;
  return traced(command, ["-o", "/dev/null", "-e", `trace=${name}`, "-e", inject]);
}

type Failure = { readonly error: string; readonly always?: boolean };

async function traced({ args, started }: Command, flags: readonly string[]): Promise<Ended> {
  const child = spawn("strace", ["-f", ...flags, process.execPath, MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" }, // all of its background threads count as one
  });
  let output = "";
  const heard = (chunk: Buffer) => {
    output += chunk.toString();
    if (started?.test(output)) stopTraced(child.pid as number);
  };
  child.stdout.on("data", heard);
  child.stderr.on("data", heard);
  await once(child, "close");
  return { killed: child.signalCode === "SIGKILL", code: child.exitCode, output };
}

/** strace does not forward signals. */
export function stopTraced(strace: number): void {
  const children = readFileSync(`/proc/${strace}/task/${strace}/children`, "utf8");
  for (const pid of children.split(" ").filter(Boolean)) process.kill(Number(pid), "SIGTERM");
}
