// The tool host: the only process that opens user files and starts user commands. It belongs to
// one runner and one workspace, and ends (with everything it started) when its standard input does.
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { createDispatch } from "./dispatch.ts";
import type { HostRole } from "./tools.ts";
import { HOST_MARK } from "../sandbox/environment.ts";
import { createLineSplitter } from "./frame-lines.ts";
import { createFrameWriter, type SendFrame } from "./frame-writer.ts";
import { MAX_RUNNER_LINE } from "./frames.ts";
import { killMarked } from "../processes/marked-processes.ts";
import { createProcessGroups } from "../processes/groups.ts";
import { createProcesses } from "../processes/processes.ts";
import { createWatchdog, DEFAULT_LIMITS } from "./watchdog.ts";
import { asSeenHere, parseProtected } from "./workspace.ts";

const PARENT_CHECK_MS = 250;

const { values } = parseArgs({
  options: {
    workspace: { type: "string" },
    protect: { type: "string", multiple: true, default: [] },
    linked: { type: "string", multiple: true, default: [] },
    linkable: { type: "string", multiple: true, default: [] },
    mark: { type: "string", default: randomUUID() },
    sandboxed: { type: "boolean", default: false },
    role: { type: "string", default: "worker" },
    "memory-mb": { type: "string", default: String(DEFAULT_LIMITS.memoryMb) },
    processes: { type: "string", default: String(DEFAULT_LIMITS.processes) },
  },
});
if (values.workspace === undefined) throw new Error("--workspace is missing");

const ending = new AbortController();
const groups = createProcessGroups();
const write = createFrameWriter(process.stdout);
// What is being killed now did not end by itself and nobody asked for it: the runner is told nothing
// but the host's death, and treats the outcome as unknown.
const send: SendFrame = async (frame) => (ending.signal.aborted ? undefined : write(frame));
const dispatch = createDispatch({
  workspace: {
    directory: values.workspace,
    protect: values.protect
      .map(parseProtected)
      .flatMap((place) => asSeenHere(place, values.sandboxed)),
    linked: new Set(values.linked),
    linkable: new Set(values.linkable),
  },
  groups,
  watch: createWatchdog({
    groups,
    alone: values.sandboxed,
    memoryMb: Number(values["memory-mb"]),
    processes: Number(values.processes),
  }),
  processes: createProcesses(send),
  mark: values.mark,
  role: values.role as HostRole,
  send,
  ending: ending.signal,
});

async function end(code: number): Promise<void> {
  if (ending.signal.aborted) return;
  ending.abort();
  groups.killAll();
  await killMarked({ name: HOST_MARK, value: values.mark }).catch(() => 0);
  process.exit(code);
}

function crash(error: unknown): void {
  if (ending.signal.aborted) return; // a broken pipe to say it on would be the next crash, and so on
  process.stderr.write(`tool host: ${error instanceof Error ? error.stack : String(error)}\n`);
  void end(1);
}

process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);
process.on("SIGTERM", () => void end(0));
// Ctrl-C in a terminal reaches the whole foreground group; when to stop is the runner's decision.
process.on("SIGINT", () => undefined);
process.on("SIGHUP", () => undefined);

void send({ kind: "ready", id: "host" }); // before anything is read: without it no call was begun
const split = createLineSplitter(MAX_RUNNER_LINE);
process.stdin.on("data", (chunk: Buffer) => {
  for (const line of split(chunk)) dispatch(line).catch(crash);
});
process.stdin.on("end", () => void end(0));
process.stdin.on("close", () => void end(0));
process.stdin.on("error", () => void end(0));
process.stderr.on("error", () => undefined); // nobody listens any more
process.stdout.on("error", () => void end(0)); // EPIPE: the runner is gone

// A stray copy of the pipe's other end would hide the runner's death; its pid does not. In a sandbox the
// parent is its process 1, which never changes: there the kernel ends us with the runner.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) void end(0);
}, PARENT_CHECK_MS);
