// Starts the tool host as a child of the runner, sandboxed where possible. Its standard input is a pipe that only the
// runner holds: when the runner dies, the host sees its end. The kernel also kills a sandbox with its parent.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, realpath, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, basename, delimiter, dirname, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { existsSync } from "node:fs";
import type { HostRole } from "./tools.ts";
import { allowedEnvironment, CACHE_PLACE, SANDBOX_MARK } from "../sandbox/environment.ts";
import { findSandbox } from "../sandbox/find/sandbox.ts";
import { filesToKnow } from "../sandbox/hard-links.ts";
import { programFile, programPaths, workspaceProblem } from "./program-places.ts";
import { layoutSandbox, type FixedFiles } from "../sandbox/sandbox-layout.ts";
import { CACHE, sandboxArgv, isWithin } from "../sandbox/sandbox.ts";
import { limitTasks } from "../sandbox/task-limit.ts";
import { terminalFilter } from "../../text/terminal-text.ts";
import { ToolError } from "./tool-error.ts";
import { DEFAULT_LIMITS, type Limits } from "./watchdog.ts";
import { formatId, formatProtected } from "./workspace.ts";

export type HostProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** auto: where it works. required: nothing runs without it. off: with the person's own rights. */
export type SandboxChoice = "auto" | "required" | "off";
export type SandboxKind = "none" | "bubblewrap";

export type HostOptions = {
  readonly workspace: string;
  /** Directories no tool may touch beside the program's own: the journal's home. They must exist. */
  readonly protect: readonly string[];
  /** Carried by everything the host starts, so that it can be found after the host died. */
  readonly mark: string;
  readonly sandbox?: SandboxChoice | undefined;
  readonly network?: boolean | undefined;
  readonly readable?: readonly string[] | undefined;
  readonly limits?: Limits | undefined;
  /** Not a workspace but a place that a person named for once: it may contain the program or the home. */
  readonly outside?: boolean | undefined;
  /** A reader looks and changes nothing: in a sandbox the workspace itself is read-only. */
  readonly role?: HostRole | undefined;
  /** In the sandbox: files that commands may read and not change, and repositories that keep their name. */
  readonly fixed?: FixedFiles | undefined;
  /** A directory of its own for package managers; made when it is not there. */
  readonly cache?: string | undefined;
  /** In the sandbox: HOME lies in the cache, and survives. */
  readonly keepsHome?: boolean | undefined;
  /** In the sandbox: absolute paths that are not there. */
  readonly hidden?: readonly string[] | undefined;
  /** Another program in the same place: a terminal, with the package (resolved) that makes one. */
  readonly terminal?: { cols: number; rows: number; module: string } | undefined;
};

const MAX_ERRORS = 65_536; // characters of one host

type Wrapped = { readonly command: string[]; readonly args: string[]; readonly workspace: string };

const TOOL_HOST = "kernel/workspace/host/main";
const TERMINAL_HOST = "features/terminals/host/main";

/** Rejects when there is no process. */
export async function spawnHost(options: HostOptions): Promise<HostProcess> {
  const { mark, limits = DEFAULT_LIMITS } = options;
  const { outside = false, workspace: place, protect } = options;
  const problem = outside ? undefined : workspaceProblem(place, protect);
  if (problem !== undefined) throw new ToolError("protected", problem);
  const places = await Promise.all([
    ...protect.map(formatProtected),
    ...programPaths().map(formatId),
  ]);
  const { cache, keepsHome = false } = options;
  if (cache !== undefined) await makeCache(cache);
  const { command, args, workspace } = await wrapped(options);
  const program = programFile(options.terminal ? TERMINAL_HOST : TOOL_HOST);
  args.push("--workspace", workspace, "--mark", mark);
  args.push("--memory-mb", String(limits.memoryMb), "--processes", String(limits.processes));
  for (const place of places) args.push("--protect", place);
  if (options.role) args.push(`--role=${options.role}`);
  for (const [option, value] of Object.entries(options.terminal ?? {})) {
    args.push(`--${option}`, String(value));
  }
  const bound = limitTasks(mark, limits.processes);
  const [file = "", ...argv] = [...bound, ...command, process.execPath, program, ...args];
  const child = spawn(file, argv, {
    cwd: "/",
    env: {
      ...allowedEnvironment(process.env),
      ...(cache !== undefined && { [CACHE_PLACE]: command.length > 0 ? CACHE : cache }),
      ...(command.length > 0 && { TMPDIR: "/tmp", [SANDBOX_MARK]: mark }),
      ...(command.length > 0 && keepsHome && { HOME: join(CACHE, "home") }),
    },
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C reaches the whole foreground group, and bubblewrap would die of it: when to stop is the
    // runner's decision.
    detached: command.length > 0,
  });
  passOn(child.stderr);
  await once(child, "spawn");
  return child;
}

/** Commands write in it: what one of them put in the place of a folder must not keep the next host from starting. */
async function makeCache(cache: string): Promise<void> {
  const own = { recursive: true, mode: 0o700 } as const;
  const home = join(cache, "home");
  await mkdir(cache, own);
  const there = await lstat(home).catch(() => undefined);
  if (there && !there.isDirectory()) await rm(home, { force: true });
  await mkdir(home, own);
}

/**
 * Why a host failed, for whoever reads the runner's own output. A command can open every file that its host has
 * open (/proc/1/fd/2): inherited, this would be the person's terminal or a log outside of the sandbox.
 */
function passOn(errors: Readable): void {
  const filter = terminalFilter();
  let room = MAX_ERRORS;
  errors.setEncoding("utf8").on("data", (text: string) => {
    const shown = filter(text.slice(0, room));
    room = Math.max(0, room - text.length);
    if (shown !== "") process.stderr.write(shown);
  });
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
    const known = options.terminal ? [] : await Promise.all(protect.map(filesToKnow));
    const args = ["--sandboxed"];
    for (const { linked, other } of known) {
      args.push(...linked.map((id) => `--linked=${id}`), ...other.map((id) => `--linkable=${id}`));
    }
    return { command: [found.path, ...sandboxArgv(layout), "--"], args, workspace };
  }
  if (sandbox !== "required") return { command: [], args: [], workspace };
  const { why, fix } = found as { why: string; fix: string };
  const message = `Tools may only run in a sandbox, and there is none: ${why}. ${fix}`;
  throw new ToolError("spawn_failed", message);
}

// Toolchains that people keep in their home directory (nvm, rustup, pyenv): without them no `npm test`
// would work in the sandbox. Programs and libraries only, never a whole directory of settings:
// credentials lie beside them.
const BESIDE_BIN = ["lib", "libexec"];
const MANAGERS = [
  ".rustup/toolchains",
  ".rustup/settings.toml",
  ".pyenv/versions",
  ".pyenv/libexec",
  ".nvm/versions",
  ".volta/tools",
  ".asdf/installs",
  ".rbenv/versions",
  ".sdkman/candidates",
];

/** What lies in `home` and is on the search path, or is what a version manager's stub starts. */
export function toolchains(searchPath: string, home: string): string[] {
  const entries = searchPath
    .split(delimiter)
    .filter((entry) => entry !== "" && isWithin(resolve(entry), home) && resolve(entry) !== home);
  if (entries.length === 0) return [];
  const beside = entries
    .filter((entry) => basename(entry) === "bin")
    .flatMap((entry) => BESIDE_BIN.map((name) => join(dirname(entry), name)));
  const managed = MANAGERS.map((name) => join(home, name));
  return [...new Set([...entries, ...beside, ...managed])].filter((path) => existsSync(path));
}
