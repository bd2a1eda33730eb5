// Starts a program in its own process group and ends it with everything it started. It begins only after a message on
// descriptor 3, when its group is registered: a host killed before that would leave an unknown command.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { ChildOutput } from "./child-output.ts";
import { CALL_MARK, commandEnvironment, SANDBOX_MARK } from "../sandbox/environment.ts";
import { killMarked } from "./marked-processes.ts";
import { settlesWithin } from "./settles-within.ts";
import { MAX_TASKS } from "../sandbox/task-limit.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

const GRACE_MS = 1_000;
const NICE = 10;
const NICE_AFTER_MS = 30;
// In a user namespace of its own the kernel counts the sandbox's tasks alone; elsewhere it would count
// everything the person runs. Shells spell the option differently.
const BOUND =
  process.env[SANDBOX_MARK] === undefined || process.getuid?.() === 0
    ? ""
    : `ulimit -u ${MAX_TASKS} 2> /dev/null || ulimit -p ${MAX_TASKS} 2> /dev/null; `;
const GATE = `${BOUND}read -r go <&3 || exit 125; exec 3<&-; exec "$@"`;

export type Exit = { code: number | null; signal: NodeJS.Signals | null };
export type CommandSpec = {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Beside the allow-list; may not replace a mark. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin: "ignore" | "pipe";
};
export type Command = {
  readonly group: number;
  readonly exit: Promise<Exit>;
  readonly stdin: Writable | undefined;
  readonly streams: { readonly stdout: Readable; readonly stderr: Readable };
};
type Owner = Pick<ToolCall, "groups" | "marks">;

export function shellArgv(line: string): string[] {
  return ["/bin/sh", "-c", line];
}

export async function startCommand(spec: CommandSpec, owner: Owner): Promise<Command> {
  const { child, exit } = spawnGate(spec, owner);
  if (child.pid === undefined) {
    await exit; // rejects with the reason
    throw new ToolError("spawn_failed", "The command could not be started");
  }
  owner.groups.add(child.pid);
  const { pid } = child;
  const yielding = setTimeout(() => giveWay(pid), NICE_AFTER_MS); // what is short is spared the wait
  child.once("exit", () => clearTimeout(yielding));
  const [stdin, stdout, stderr, gate] = child.stdio as unknown as [
    Writable | null,
    Readable,
    Readable,
    Writable,
  ];
  stdin?.on("error", () => undefined); // EPIPE: it does not read; its exit is what counts
  gate.on("error", () => undefined); // killed at the gate: its exit says so
  gate.end("go\n");
  return { group: child.pid, exit, stdin: stdin ?? undefined, streams: { stdout, stderr } };
}

/** So that the host still gets its turn, to stop it, when a command fills the machine with processes. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, NICE);
    // Where sessions share the processor evenly, niceness counts only inside of one.
    if (process.platform === "linux") writeFileSync(`/proc/${pid}/autogroup`, String(NICE));
  } catch {
    // Gone, no such file, or too often within a second: a courtesy, not a limit.
  }
}

function spawnGate({ argv, cwd, env, stdin }: CommandSpec, { marks }: Owner) {
  const failed = (error: unknown) => new ToolError("spawn_failed", String(error));
  try {
    const child = spawn("/bin/sh", ["-c", GATE, "sh", ...argv], {
      cwd,
      detached: true,
      env: { ...commandEnvironment(process.env), ...env, ...marks },
      stdio: [stdin, "pipe", "pipe", "pipe"],
    });
    const exit = new Promise<Exit>((resolve, reject) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
      child.on("error", (error) => reject(failed(error)));
    });
    return { child, exit };
  } catch (error) {
    throw failed(error); // E2BIG and the like are thrown, not emitted
  }
}

/** `gone`: it ended by itself. `stop`: TERM and a moment first. `kill`: at once. */
export type StopHow = "gone" | "stop" | "kill";

/** Settles when nothing of the command is left and everything it printed was passed on. */
export async function stopCommand(
  { group, exit, output }: Pick<Command, "group" | "exit"> & { output: ChildOutput },
  how: StopHow,
  { groups, marks }: Owner,
): Promise<void> {
  if (how === "stop") groups.signal(group, "SIGTERM");
  if (how !== "kill") await settlesWithin(Promise.all([exit, output.closed]), GRACE_MS);
  groups.signal(group, "SIGKILL");
  // Also when it was quiet: whoever left the group (setsid) may have closed its output and stayed.
  await killMarked({ name: CALL_MARK, value: marks[CALL_MARK] ?? "" });
  await exit;
  groups.remove(group);
  await output.finish();
}
