// For tests only: directories that go away, calls without a runner, and waiting for a condition
// instead of for a time.
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { CALL_MARK, HOST_MARK, RUN_MARK } from "./environment.ts";
import type { OutputStream } from "./frames.ts";
import { createProcessGroups } from "./process-groups.ts";
import { refuseLateStart, type ToolCall } from "./tool-call.ts";
import { errnoOf, ToolError, type ToolErrorCode } from "./tool-error.ts";

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
  return {
    workspace: { directory, protect: [] },
    groups: createProcessGroups(),
    signal: abort.signal,
    marks: { [RUN_MARK]: mark, [HOST_MARK]: mark, [CALL_MARK]: mark },
    begin: () => refuseLateStart(soon(), abort.signal),
    output: async (stream, data) => void (printed[stream] += data.toString()),
    ...overrides,
    abort,
    printed,
  };
}

/** A claim with a minute left. */
export function soon(): bigint {
  return process.hrtime.bigint() + 60_000_000_000n;
}

export function refusedWith(code: ToolErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof ToolError && error.code === code;
}

export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + 8_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Never happened: ${what}`);
    await setImmediate();
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

export async function pidIn(file: string): Promise<number> {
  const complete = () => existsSync(file) && readFileSync(file, "utf8").endsWith("\n");
  await waitUntil(`${file} is written`, complete);
  return Number(readFileSync(file, "utf8"));
}
