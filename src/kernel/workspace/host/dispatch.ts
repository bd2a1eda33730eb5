// Runs calls concurrently and answers each exactly once. Reading frames never waits for a tool or for space in the
// runner's pipe, so an abort always arrives.
import { CALL_MARK, HOST_MARK, RUN_MARK } from "../sandbox/environment.ts";
import { exec } from "../processes/exec.ts";
import { FILE_TOOL_NAMES, READER_TOOL_NAMES } from "../files/file-tool-names.ts";
import { FILE_TOOLS } from "../files/file-tools.ts";
import type { SendFrame } from "./frame-writer.ts";
import {
  parseRunnerLine,
  TOOL_NAMES,
  type CallFrame,
  type RunnerFrame,
  type ToolName,
  isRecord,
  type ToolResult,
} from "./frames.ts";
import type { FrameLine } from "./frame-lines.ts";
import type { ProcessGroups } from "../processes/process-groups.ts";
import { processTool } from "../processes/process-tool.ts";
import type { Processes } from "../processes/processes.ts";
import { refuseLateStart, type Tool, type ToolCall } from "./tool-call.ts";
import { toToolError, ToolError } from "./tool-error.ts";
import type { Watchdog } from "./watchdog.ts";
import type { Workspace } from "./workspace.ts";
import { plainText, record } from "./call-input.ts";
import { workingDirectory } from "../files/working-directory.ts";

const TOOLS: Record<ToolName, Tool> = { ...FILE_TOOLS, exec, open, process: processTool };

/** worker: everything. files: no commands. reader: looks and does nothing else. */
export type HostRole = "worker" | "files" | "reader";
const TOOLS_OF: Record<HostRole, ReadonlySet<ToolName>> = {
  worker: new Set(TOOL_NAMES),
  files: new Set(FILE_TOOL_NAMES),
  reader: new Set(READER_TOOL_NAMES),
};

export type HostContext = {
  readonly workspace: Workspace;
  readonly groups: ProcessGroups;
  readonly watch: Watchdog;
  readonly processes: Processes;
  readonly mark: string;
  readonly send: SendFrame;
  /** What it does not have, it does not do, whatever it is asked. */
  readonly role: HostRole;
  /** Aborted when the host ends: no effect may begin while it is killing what it started. */
  readonly ending: AbortSignal;
};

type FrameTable = {
  [Kind in RunnerFrame["kind"]]: (frame: Extract<RunnerFrame, { kind: Kind }>) => Promise<void>;
};

/** Takes one line. The promise settles when its call has been answered; it never rejects. */
export type Dispatch = (line: FrameLine) => Promise<void>;

export function createDispatch(host: HostContext): Dispatch {
  const running = new Map<string, AbortController>();

  async function call(frame: CallFrame): Promise<void> {
    const { id } = frame;
    if (running.has(id)) return; // an answer would settle the first call of that id
    const abort = new AbortController();
    running.set(id, abort);
    try {
      if (!TOOLS_OF[host.role].has(frame.tool)) {
        throw new ToolError("invalid_request", `A host for ${host.role} does not ${frame.tool}`);
      }
      const result = await TOOLS[frame.tool](
        frame.input,
        toolCall(host, frame, AbortSignal.any([abort.signal, host.ending])),
      );
      await host.send({ kind: "done", id, ok: true, result });
    } catch (error) {
      await refuse(id, toToolError(error));
    } finally {
      running.delete(id);
    }
  }

  async function refuse(id: string, { code, message }: ToolError): Promise<void> {
    await host.send({ kind: "done", id, ok: false, error: { code, message } });
  }

  const table: FrameTable = {
    call,
    abort: async ({ id }) => running.get(id)?.abort(),
    input: async ({ id, data, end }) => {
      const stdin = host.processes.find(id)?.stdin;
      if (!stdin?.writable) return; // its end is on the way to the runner
      stdin.write(Buffer.from(data, "base64"));
      if (end) stdin.end();
    },
  };

  return async ({ text, overlong }) => {
    const parsed = parseRunnerLine(text);
    if (parsed.ok && !overlong) {
      const handle = table[parsed.frame.kind] as (frame: RunnerFrame) => Promise<void>;
      return handle(parsed.frame);
    }
    const id = parsed.ok ? parsed.frame.id : parsed.id;
    const message = parsed.ok ? "the frame is too long" : parsed.message;
    if (id === undefined || running.has(id)) return;
    await refuse(id, new ToolError(overlong ? "too_large" : "invalid_request", message));
  };
}

function toolCall(host: HostContext, frame: CallFrame, signal: AbortSignal): ToolCall {
  const { id, marker } = frame;
  const notAfter = BigInt(frame.not_after);
  const marks = { [RUN_MARK]: marker, [HOST_MARK]: host.mark, [CALL_MARK]: `${host.mark}.${id}` };
  return {
    workspace: host.workspace,
    groups: host.groups,
    watch: host.watch,
    processes: host.processes,
    signal,
    marks,
    begin: () => refuseLateStart(notAfter, signal),
    output: async (stream, data) => host.send({ kind: "output", id, stream, data }),
  };
}

// Starts a program the runner will talk to over its standard input and output. No shell reads its
// arguments, and its own variables come in the frame: they are never on a command line.
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

async function open(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  const argv = [plainText(fields, "command"), ...words(fields["args"])];
  const env = variables(fields["env"]);
  const pipeId = plainText(fields, "pipe_id");
  const cwd = await workingDirectory(fields, call);
  call.begin();
  const spec = { argv, cwd, env, stdin: "pipe", pipeId, shown: argv.join(" ") } as const;
  await call.processes.start(spec, call);
  return { ok: true };
}

function words(value: unknown): string[] {
  const plain = (word: unknown): word is string => typeof word === "string" && !word.includes("\0");
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every(plain)) return value;
  throw new ToolError("invalid_request", "args must be strings");
}

function variables(value: unknown): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, text] of Object.entries(isRecord(value) ? value : {})) {
    if (!NAME.test(name) || typeof text !== "string" || text.includes("\0")) {
      throw new ToolError("invalid_request", `${name} cannot be an environment variable`);
    }
    env[name] = text;
  }
  return env;
}
