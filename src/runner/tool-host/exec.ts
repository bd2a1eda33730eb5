// Runs a shell command in a process group of its own. However the call ends, the whole group has been
// killed before the answer: nothing a command started goes on behind the run's back.
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { number, plainText, record } from "./call-input.ts";
import { relayOutput, type ChildOutput } from "./child-output.ts";
import { allowedEnvironment, CALL_MARK } from "./environment.ts";
import type { ToolResult } from "./frames.ts";
import { killMarked } from "./marked-processes.ts";
import { locate } from "./paths.ts";
import { settlesWithin } from "./settles-within.ts";
import type { ToolCall } from "./tool-call.ts";
import { ToolError } from "./tool-error.ts";

const GRACE_MS = 1_000;
// The command begins only when told so on descriptor 3, after its group is on the leash: a host killed
// between the two would otherwise leave a command nobody knows of.
const GATE = 'read -r go <&3 || exit 125; exec /bin/sh -c "$1" 3<&-';
const TIMEOUT_S = { fallback: 120, min: 0.001, max: 3_600, whole: false };

type Exit = { code: number | null; signal: NodeJS.Signals | null };
type Ending = "exited" | "timed_out" | "aborted";
type Command = { group: number; exit: Promise<Exit>; output: ChildOutput };

export async function exec(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const line = plainText(fields, "command");
  const timeoutMs = number(fields, "timeout_s", TIMEOUT_S) * 1_000;
  const cwd = await workingDirectory(fields, call);
  call.begin();

  const started = performance.now();
  const command = await start(line, cwd, call);
  const ending = await untilEnd(command.exit, call.signal, timeoutMs);
  await stop(command, ending, call);
  if (ending === "aborted") throw new ToolError("aborted", "The command was aborted");

  const exit = await command.exit;
  return {
    ok: ending === "exited" && exit.code === 0,
    exit_code: exit.code,
    signal: exit.signal,
    duration_ms: Math.round(performance.now() - started),
    timed_out: ending === "timed_out",
    stdout_bytes: command.output.bytes.stdout,
    stderr_bytes: command.output.bytes.stderr,
  };
}

async function workingDirectory(fields: Record<string, unknown>, call: ToolCall): Promise<string> {
  const path = fields["cwd"] === undefined ? "." : plainText(fields, "cwd");
  await using location = await locate(call.workspace, path, "expect");
  if (!location.stats) throw new ToolError("not_found", `No such directory: ${path}`);
  if (!location.stats.isDirectory()) {
    throw new ToolError("invalid_request", `${path} is not a directory`);
  }
  return location.realPath;
}

async function start(line: string, cwd: string, call: ToolCall): Promise<Command> {
  const { child, exit } = spawnShell(line, cwd, call);
  if (child.pid === undefined) {
    await exit; // rejects with the reason
    throw new ToolError("spawn_failed", "The command could not be started");
  }
  call.groups.add(child.pid);
  const [, stdout, stderr, gate] = child.stdio as unknown as [null, Readable, Readable, Writable];
  gate.on("error", () => undefined); // killed at the gate: its exit says so
  gate.end("go\n");
  const output = relayOutput({ stdout, stderr }, (stream, data) => call.output(stream, data));
  return { group: child.pid, exit, output };
}

function spawnShell(line: string, cwd: string, call: ToolCall) {
  const failed = (error: unknown) => new ToolError("spawn_failed", String(error));
  try {
    const child = spawn("/bin/sh", ["-c", GATE, "sh", line], {
      cwd,
      detached: true,
      env: { ...allowedEnvironment(process.env), ...call.marks },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
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

async function untilEnd(
  exit: Promise<Exit>,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const abort = () => resolve("aborted");
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  const timer = setTimeout(resolve, timeoutMs, "timed_out");
  try {
    return await Promise.race([exit.then((): Ending => "exited"), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

async function stop(command: Command, ending: Ending, call: ToolCall): Promise<void> {
  const { group, exit, output } = command;
  if (ending !== "exited") call.groups.signal(group, "SIGTERM");
  const quiet = await settlesWithin(Promise.all([exit, output.closed]), GRACE_MS);
  call.groups.signal(group, "SIGKILL"); // also when quiet: a child may have closed its output and stayed
  if (ending !== "exited" || !quiet) {
    await killMarked({ name: CALL_MARK, value: call.marks[CALL_MARK] ?? "" }); // left the group
  }
  await exit;
  call.groups.remove(group);
  await output.finish();
}
