// The host of one terminal: a shell on a pseudo terminal, and what it printed. It belongs to one server,
// runs in the same sandbox as tools, and ends with everything that was started in it when its standard
// input does. It answers what it is asked and sends nothing unasked but the end.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { CALL_MARK, HOST_MARK } from "../../../kernel/workspace/sandbox/environment.ts";
import { createLineSplitter, parseFrame } from "../../../kernel/workspace/host/frame-lines.ts";
import type { LimitName } from "../../../kernel/workspace/host/frames.ts";
import { killMarked } from "../../../kernel/workspace/processes/marked-processes.ts";
import { createProcessGroups } from "../../../kernel/workspace/processes/groups.ts";
import { createTerminalOutput } from "./output.ts";
import { NoPty, startShell, type Shell } from "./pty.ts";
import { MAX_TERMINAL_LINE, type FromTerminal, type ToTerminal } from "./frames.ts";
import { toToolError } from "../../../kernel/workspace/host/tool-error.ts";
import { createWatchdog } from "../../../kernel/workspace/host/watchdog.ts";
import {
  asSeenHere,
  parseProtected,
  workspaceRoot,
} from "../../../kernel/workspace/host/workspace.ts";

const PARENT_CHECK_MS = 250;
// When the host itself is killed: finds what left the shell's group by its mark. Not in a sandbox, where
// the kernel does it.
const LEASH = `while read -r _; do :; done
for place in /proc/[0-9]*; do
  if tr '\\0' '\\n' < "$place/environ" 2> /dev/null | grep -qxF "$0"; then kill -s KILL "\${place#/proc/}"; fi
done`;

const { values } = parseArgs({
  options: {
    workspace: { type: "string", default: "" },
    protect: { type: "string", multiple: true, default: [] },
    mark: { type: "string", default: "" },
    sandboxed: { type: "boolean", default: false },
    "memory-mb": { type: "string", default: "" },
    processes: { type: "string", default: "" },
    module: { type: "string", default: "" },
    cols: { type: "string", default: "80" },
    rows: { type: "string", default: "24" },
  },
});
const { mark, sandboxed } = values;
const marks = { [HOST_MARK]: mark, [CALL_MARK]: mark };
const groups = createProcessGroups();
let ending = false;

function send(frame: FromTerminal): void {
  if (!ending) process.stdout.write(`${JSON.stringify(frame)}\n`); // at most one piece per reader
}

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  groups.killAll();
  await killMarked({ name: HOST_MARK, value: mark }).catch(() => 0);
  process.exit(code);
}

function crash(error: unknown): void {
  if (ending) return; // a broken pipe to say it on would be the next crash, and so on
  process.stderr.write(`terminal host: ${error instanceof Error ? error.stack : String(error)}\n`);
  void end(1);
}

async function run(): Promise<void> {
  const protect = values.protect
    .map(parseProtected)
    .flatMap((place) => asSeenHere(place, sandboxed));
  const cwd = await workspaceRoot({ directory: values.workspace, protect });
  if (!sandboxed) startLeash();
  let shell: Shell | undefined;
  const output = createTerminalOutput({
    answer: (reader, part) => send({ kind: "output", reader, ...part }),
    flow: (go) => shell?.flow(go),
  });
  shell = await startShell({
    module: values.module,
    cwd,
    marks,
    sandboxed,
    cols: Number(values.cols),
    rows: Number(values.rows),
    onOutput: (chunk) => output.add(chunk),
  });
  const watch = watched(shell);
  send({ kind: "ready", shell: shell.path });
  takeFrames((frame) => obey(frame, shell, output));
  const exit = await shell.exit;
  groups.remove(shell.pid);
  await killMarked({ name: HOST_MARK, value: mark }).catch(() => 0); // nothing goes on unseen
  await watch.end();
  send({ kind: "exit", ...exit, limit: watch.limit() });
  output.end();
}

function obey(
  frame: ToTerminal,
  shell: Shell,
  output: ReturnType<typeof createTerminalOutput>,
): void {
  if (frame.kind === "read") output.read(frame.reader, frame);
  else if (frame.kind === "leave") output.leave(frame.reader);
  else if (frame.kind === "resize") shell.resize(frame);
  else if (frame.kind === "input") {
    const { id } = frame;
    shell.write(frame.data).then(() => send({ kind: "taken", id }), crash);
  }
}

function takeFrames(take: (frame: ToTerminal) => void): void {
  const split = createLineSplitter(MAX_TERMINAL_LINE);
  process.stdin.on("data", (chunk: Buffer) => {
    for (const { text, overlong } of split(chunk)) {
      const frame = overlong ? undefined : parseFrame<ToTerminal>(text);
      if (frame) take(frame);
    }
  });
}

/** The limits of commands hold for a person's too: a machine that stands still helps nobody. */
function watched({ pid }: Shell) {
  groups.add(pid);
  const limits = { memoryMb: Number(values["memory-mb"]), processes: Number(values.processes) };
  const watch = createWatchdog({ groups, alone: sandboxed, ...limits })(pid, marks);
  let limit: LimitName | null = null;
  watch.exceeded.then((name) => (limit = name), crash);
  return { limit: () => limit, end: () => watch.end() };
}

function startLeash(): void {
  const argv = ["-c", LEASH, `${HOST_MARK}=${mark}`];
  const leash = spawn("/bin/sh", argv, {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  leash.on("error", () => undefined);
  leash.stdin.on("error", () => undefined);
  leash.unref();
}

process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);
process.on("SIGTERM", () => void end(0));
process.on("SIGINT", () => undefined);
process.on("SIGHUP", () => undefined);
process.stdin.on("end", () => void end(0));
process.stdin.on("close", () => void end(0));
process.stdin.on("error", () => void end(0));
process.stdin.resume();
process.stderr.on("error", () => undefined); // nobody listens any more
process.stdout.on("error", () => void end(0)); // EPIPE: the server is gone
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) void end(0);
}, PARENT_CHECK_MS);

run().catch((error: unknown) => {
  const { code, message } = toToolError(error);
  const failed = { kind: "failed", code: error instanceof NoPty ? "no_pty" : code } as const;
  send({ ...failed, message });
});
