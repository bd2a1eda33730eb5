// Starts the tool host as a child of the runner, in its sandbox where there is one. Its standard input
// is a pipe only the runner holds: when the runner dies, however it dies, the host sees the end of it;
// a sandbox is killed with its parent by the kernel besides, and everything inside with it.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { extname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { allowedEnvironment, SANDBOX_MARK } from "./environment.ts";
import { findSandbox } from "./find-sandbox.ts";
import { layoutSandbox } from "./sandbox-layout.ts";
import { sandboxArgv } from "./sandbox.ts";
import { limitTasks } from "./task-limit.ts";
import type { TerminalSize } from "./terminal-frames.ts";
import { ToolError } from "./tool-error.ts";
import { toolchains } from "./toolchains.ts";
import { DEFAULT_LIMITS, type Limits } from "./watchdog.ts";
import { fileId, formatProtected } from "./workspace.ts";

export type HostProcess = ChildProcessByStdio<Writable, Readable, null>;

/** auto: where it works. required: nothing runs without it. off: with the person's own rights. */
export type SandboxChoice = "auto" | "required" | "off";
export type SandboxKind = "none" | "bubblewrap";

export type HostOptions = {
  readonly workspace: string;
  /** Directories no tool may touch: the journal's home. They must exist. */
  readonly protect: readonly string[];
  /** Carried by everything the host starts, so that it can be found after the host died. */
  readonly mark: string;
  readonly sandbox?: SandboxChoice | undefined;
  readonly network?: boolean | undefined;
  readonly readable?: readonly string[] | undefined;
  readonly limits?: Limits | undefined;
  /** Looks and changes nothing: in a sandbox the workspace itself is read-only. */
  readonly reader?: boolean | undefined;
  /** Another program in the same place: a terminal, with the package (resolved) that makes one. */
  readonly terminal?: (TerminalSize & { readonly module: string }) | undefined;
};

type Wrapped = { readonly command: string[]; readonly args: string[]; readonly workspace: string };

/** Rejects when there is no process. */
export async function spawnHost(options: HostOptions): Promise<HostProcess> {
  const { mark, limits = DEFAULT_LIMITS } = options;
  const places = await Promise.all(options.protect.map(formatProtected));
  const { command, args, workspace } = await wrapped(options);
  const name = options.terminal ? "terminal-main" : "main";
  const program = join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);
  args.push("--workspace", workspace, "--mark", mark);
  args.push("--memory-mb", String(limits.memoryMb), "--processes", String(limits.processes));
  for (const place of places) args.push("--protect", place);
  if (options.reader === true) args.push("--reader");
  for (const [option, value] of Object.entries(options.terminal ?? {})) {
    args.push(`--${option}`, String(value));
  }
  const bound = limitTasks(mark, limits.processes);
  const [file = "", ...argv] = [...bound, ...command, process.execPath, program, ...args];
  const child = spawn(file, argv, {
    cwd: "/",
    env: {
      ...allowedEnvironment(process.env),
      ...(command.length > 0 && { TMPDIR: "/tmp", [SANDBOX_MARK]: mark }),
    },
    stdio: ["pipe", "pipe", "inherit"],
    // Ctrl-C reaches the whole foreground group, and bubblewrap would die of it: when to stop is the
    // runner's decision.
    detached: command.length > 0,
  });
  await once(child, "spawn");
  return child;
}

export async function sandboxKind(choice: SandboxChoice): Promise<SandboxKind> {
  return choice === "off" ? "none" : (await findSandbox()).kind;
}

async function wrapped(options: HostOptions): Promise<Wrapped> {
  const { sandbox = "auto", workspace } = options;
  const found = sandbox === "off" ? undefined : await findSandbox();
  if (found?.kind === "bubblewrap") {
    const protect = await Promise.all(options.protect.map((path) => realpath(path)));
    const memoryMb = options.limits?.memoryMb;
    const readable = [
      ...(options.readable ?? []),
      ...toolchains(process.env["PATH"] ?? "", homedir()),
    ];
    const layout = layoutSandbox({ ...options, protect, readable, memoryMb });
    const ids = await Promise.all(protect.map(filesIn));
    const args = ["--sandboxed", ...ids.flat().flatMap((id) => ["--protect", id])];
    return { command: [found.path, ...sandboxArgv(layout), "--"], args, workspace };
  }
  if (sandbox !== "required") return { command: [], args: [], workspace };
  const { why, fix } = found as { why: string; fix: string };
  const message = `Tools may only run in a sandbox, and there is none: ${why}. ${fix}`;
  throw new ToolError("spawn_failed", message);
}

/** In there the directory is empty: a second name of one of its files is only recognised by these. */
async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  const stats = await Promise.all(
    names.map((name) => stat(join(directory, name), { bigint: true }).catch(() => undefined)),
  );
  return stats.flatMap((one) => (one?.isFile() ? [fileId(one)] : []));
}
