// Runs git read-only: no lock, pager, prompt or network, and only the settings given here. Time and output are
// bounded.
import { spawn } from "node:child_process";
import { allowedEnvironment } from "../sandbox/environment.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

const TIME_MS = 15_000;
const MAX_BYTES = 4 << 20;
const NOBODYS = "/nonexistent";

export type GitEnvironment = {
  readonly cwd: string;
  readonly gitDir?: string;
  readonly top?: string;
};
export type GitOutput = {
  readonly output: Buffer;
  readonly code: number | null;
  /** There was more than is taken. */
  readonly truncated: boolean;
};

const SETTINGS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.quotePath=false",
  "core.bigFileThreshold=16m",
  "core.untrackedCache=false",
  "protocol.allow=never",
  "diff.renameLimit=1000",
  "gc.auto=0",
].flatMap((setting) => ["-c", setting]);

const ENVIRONMENT = {
  HOME: NOBODYS,
  XDG_CONFIG_HOME: NOBODYS,
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "false",
  GIT_SSH_COMMAND: "false",
};

/** There is no such program here. */
export class GitMissing extends Error {}

export async function runGit(
  args: readonly string[],
  { cwd, gitDir, top }: GitEnvironment,
  call: ToolCall,
): Promise<GitOutput> {
  call.begin();
  const child = spawn("git", ["--no-pager", ...SETTINGS, ...args], {
    cwd,
    detached: true,
    env: {
      ...allowedEnvironment(process.env),
      ...ENVIRONMENT,
      ...(gitDir === undefined ? { GIT_CEILING_DIRECTORIES: "/" } : { GIT_DIR: gitDir }),
      ...(top !== undefined && { GIT_WORK_TREE: top }),
      ...call.marks,
    },
    stdio: ["ignore", "pipe", "ignore"], // what it complains of may quote files: nobody is told
  });
  const exit = new Promise<number | null | "missing">((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve("missing"));
  });
  const group = child.pid;
  if (group === undefined) {
    await exit;
    throw new GitMissing("There is no git here.");
  }
  call.groups.add(group);
  const stop = () => call.groups.signal(group, "SIGKILL");
  const late = AbortSignal.timeout(TIME_MS);
  const over = AbortSignal.any([call.signal, late]);
  over.addEventListener("abort", stop, { once: true });
  try {
    const { output, truncated } = await collect(child.stdout as AsyncIterable<Buffer>);
    if (truncated) stop();
    const code = await exit;
    if (call.signal.aborted) throw new ToolError("aborted", "Aborted");
    if (late.aborted) throw new ToolError("io", "git took too long");
    return { output, code: code === "missing" ? null : code, truncated };
  } finally {
    stop();
    call.groups.remove(group);
    over.removeEventListener("abort", stop);
  }
}

async function collect(stream: AsyncIterable<Buffer>) {
  const parts: Buffer[] = [];
  let room = MAX_BYTES;
  for await (const chunk of stream) {
    parts.push(chunk.subarray(0, room));
    room -= chunk.length;
    if (room < 0) return { output: Buffer.concat(parts), truncated: true };
  }
  return { output: Buffer.concat(parts), truncated: false };
}
