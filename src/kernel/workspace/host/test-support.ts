// For tests only: directories that go away, calls without a runner, and waiting for a condition
// instead of for a time.
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CALL_MARK, HOST_MARK, RUN_MARK } from "../sandbox/environment.ts";
import { findSandbox } from "../sandbox/find/sandbox.ts";
import type { OutputStream } from "./frames.ts";
import { createProcessGroups } from "../processes/groups.ts";
import { processTable, type ProcessEntry } from "../processes/table.ts";
import { createProcesses } from "../processes/processes.ts";
import { refuseLateStart, type ToolCall } from "./tool-call.ts";
import { errnoOf, ToolError, type ToolErrorCode } from "./tool-error.ts";
import { createWatchdog, DEFAULT_LIMITS } from "./watchdog.ts";

export type TestDirectory = AsyncDisposable & {
  readonly path: string;
  readonly at: (name: string) => string;
};

export async function temporaryDirectory(): Promise<TestDirectory> {
  const path = await mkdtemp(join(await realpath(tmpdir()), "quarterdeck-tool-host-"));
  return {
    path,
    at: (name) => join(path, name),
    [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }),
  };
}

export type TestCall = ToolCall & {
  readonly abort: AbortController;
  readonly printed: Record<OutputStream, string>;
};

export function testCall(directory: string, overrides: Partial<ToolCall> = {}): TestCall {
  const abort = new AbortController();
  const printed = { stdout: "", stderr: "" };
  const mark = crypto.randomUUID();
  const groups = createProcessGroups();
  return {
    workspace: { directory, protect: [] },
    groups,
    watch: createWatchdog({ ...DEFAULT_LIMITS, alone: false, groups }),
    processes: createProcesses(async () => undefined),
    signal: abort.signal,
    marks: { [RUN_MARK]: mark, [HOST_MARK]: mark, [CALL_MARK]: mark },
    begin: () => refuseLateStart(soon(), abort.signal),
    output: async (stream, data) => void (printed[stream] += data.toString()),
    ...overrides,
    abort,
    printed,
  };
}

/** A claim with ten minutes left: a loaded machine takes tens of seconds to start a host. */
export function soon(): bigint {
  return process.hrtime.bigint() + 600_000_000_000n;
}

export function refusedWith(code: ToolErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof ToolError && error.code === code;
}

export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Never happened: ${what}`);
    await delay(2); // what is waited for wants the processor, too
  }
}

/** A zombie is dead: how soon it is reaped is up to whatever is process 1 here. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ESRCH") return false;
    throw error;
  }
}

/** The pid a command wrote, as it is out here: `host` is the process the runner started. */
export async function pidIn(file: string, host?: { pid?: number | undefined }): Promise<number> {
  const complete = () => existsSync(file) && readFileSync(file, "utf8").endsWith("\n");
  await waitUntil(`${file} is written`, complete);
  const pid = Number(readFileSync(file, "utf8"));
  return host?.pid === undefined ? pid : outerPid(pid, host.pid);
}

/** In a pid namespace of its own a process has another number than out here. */
export function outerPid(inner: number, host: number): number {
  for (const { pid } of descendants(host)) {
    const numbers = /^NSpid:\s+(.*)$/m.exec(readIfThere(`/proc/${pid}/status`))?.[1];
    const seen = (numbers ?? "").split("\t").map(Number);
    if (seen.at(-1) === inner && (seen.length > 1 || pid === inner)) return pid;
  }
  return inner; // left the tree, in the namespace we share
}

/** A process may end between being listed and being looked at. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export function descendants(ancestor: number): ProcessEntry[] {
  const all = processTable();
  const found = new Set([ancestor]);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid) && pid !== ancestor);
}

/** The tool host itself, which in a sandbox is not the process the runner started. */
export function programPid({ pid = 0 }: { pid?: number | undefined }): number {
  const isHost = (one: number) => readIfThere(`/proc/${one}/cmdline`).startsWith(process.execPath);
  return isHost(pid) ? pid : (descendants(pid).find((below) => isHost(below.pid))?.pid ?? 0);
}

/** Every way a host may run here. Where there is no sandbox, a test that is reported as skipped says so. */
export async function sandboxChoices(): Promise<("off" | "required")[]> {
  const found = await findSandbox();
  if (found.kind !== "none") return ["off", "required"];
  test("the tests of this file in a sandbox", { skip: `needs bubblewrap: ${found.why}` });
  return ["off"];
}
