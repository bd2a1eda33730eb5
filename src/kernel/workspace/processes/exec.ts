// Runs a shell command. However the call ends, everything that the command started is killed before the response,
// unless `background` was requested.
import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { number, plainText, record } from "../host/call-input.ts";
import { relayOutput } from "./child-output.ts";
import { shellArgv, startCommand, stopCommand, type Exit, type StopHow } from "./command.ts";
import type { LimitName, ToolResult } from "../host/frames.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";
import { contentOf, versionOf } from "../host/version.ts";
import type { Watch } from "../host/watchdog.ts";
import { workingDirectory } from "../files/working-directory.ts";
import { workspaceRoot, type Workspace } from "../host/workspace.ts";

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

// Files a command line names, for people who want to look at them. A guess from its words, and only
// of what lies below the workspace by its spelling: nothing is opened, nothing is decided by it.
const MAX_PATHS = 20;
const MAX_WORDS = 100;
const WORD = /"([^"]*)"|'([^']*)'|([^\s"'`;|&<>()$={}*?]+)/g;

/** `path` as it was written; `viewerPath` relative to the workspace. */
type MentionedPath = { path: string; viewerPath: string };

async function mentionedPaths(
  line: string,
  cwd: string,
  workspace: Workspace,
): Promise<MentionedPath[]> {
  const root = await workspaceRoot(workspace);
  const words = [...line.slice(0, 8_192).matchAll(WORD)].slice(0, MAX_WORDS);
  const paths = new Map<string, string>();
  for (const [, double, single, bare] of words) {
    const word = double ?? single ?? bare ?? "";
    if (word === "" || word.startsWith("-") || word.includes("\0") || !/[./]/.test(word)) continue;
    const path = relative(root, isAbsolute(word) ? word : join(cwd, word));
    if (path !== "" && path !== ".." && !path.startsWith(`..${sep}`)) paths.set(path, word);
  }
  const found: MentionedPath[] = [];
  for (const [viewerPath, path] of paths) {
    if (found.length === MAX_PATHS) break;
    const stats = await lstat(join(root, viewerPath)).catch(() => undefined);
    if (stats?.isFile()) found.push({ path, viewerPath });
  }
  return found;
}
