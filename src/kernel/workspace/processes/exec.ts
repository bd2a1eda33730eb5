// Runs a shell command. However the call ends, everything the command started has been killed before
// the answer, so nothing goes on behind the run's back; unless it was asked for: `background`.
import { number, plainText, record } from "../host/call-input.ts";
import { relayOutput } from "./child-output.ts";
import { shellArgv, startCommand, stopCommand, type Exit, type StopHow } from "./command.ts";
import type { LimitName, ToolResult } from "../host/frames.ts";
import { mentionedPaths } from "../sandbox/mentioned-paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";
import { contentOf, versionOf } from "../host/version.ts";
import type { Watch } from "../host/watchdog.ts";
import { workingDirectory } from "../files/working-directory.ts";

const TIMEOUT_S = { fallback: 120, min: 0.001, max: 3_600, whole: false };

type Ending = "exited" | "timed_out" | "aborted" | LimitName;
const HOW: Record<Ending, StopHow> = {
  exited: "gone",
  timed_out: "stop",
  aborted: "stop",
  memory: "kill",
  processes: "kill",
};

export async function exec(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const line = plainText(fields, "command");
  const timeoutMs = number(fields, "timeout_s", TIMEOUT_S) * 1_000;
  const cwd = await workingDirectory(fields, call);
  await refuseChanged(fields["files"], call);
  call.begin();
  if (fields["background"] === true) return startBackground({ line, cwd, fields }, call);

  const started = performance.now();
  const command = await startCommand({ argv: shellArgv(line), cwd, stdin: "ignore" }, call);
  const watch = call.watch(command.group, call.marks);
  const output = relayOutput(command.streams, (stream, data) => call.output(stream, data));
  const ending = await untilEnd(command.exit, { watch, timeoutMs, signal: call.signal });
  await stopCommand({ ...command, output }, HOW[ending], call);
  await watch.end();
  if (ending === "aborted") throw new ToolError("aborted", "The command was aborted");

  const exit = await command.exit;
  const mentioned = await mentionedPaths(line, cwd, call.workspace);
  return {
    ok: ending === "exited" && exit.code === 0,
    exit_code: exit.code,
    signal: exit.signal,
    duration_ms: Math.round(performance.now() - started),
    timed_out: ending === "timed_out",
    stdout_bytes: output.bytes.stdout,
    stderr_bytes: output.bytes.stderr,
    ...((ending === "memory" || ending === "processes") && { limit: ending }),
    ...(mentioned.length > 0 && { mentioned_paths: mentioned }),
  };
}

/** What was allowed is the command with the files it executes as they were then. */
async function refuseChanged(files: unknown, call: ToolCall): Promise<void> {
  for (const [path, expected] of Object.entries(record(files ?? {}))) {
    if (contentOf(await versionOf(path, call)) === expected) continue;
    const message = `${path} has changed since this call was planned. Look at it and call again.`;
    throw new ToolError("plan_changed", message);
  }
}

type Background = { line: string; cwd: string; fields: Record<string, unknown> };

async function startBackground({ line, cwd, fields }: Background, call: ToolCall) {
  const named = fields["process_id"] === undefined ? {} : { id: plainText(fields, "process_id") };
  const spec = { argv: shellArgv(line), cwd, stdin: "pipe", shown: line, ...named } as const;
  const { id } = await call.processes.start(spec, call);
  return { ok: true, process_id: id };
}

async function untilEnd(
  exit: Promise<Exit>,
  { watch, signal, timeoutMs }: { watch: Watch; signal: AbortSignal; timeoutMs: number },
): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const abort = () => resolve("aborted");
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  const timer = setTimeout(resolve, timeoutMs, "timed_out");
  try {
    return await Promise.race([watch.exceeded, exit.then((): Ending => "exited"), promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
