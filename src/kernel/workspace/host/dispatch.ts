// Runs calls concurrently and answers each exactly once. Reading frames never waits for a tool or for space in the
// runner's pipe, so an abort always arrives.
import { CALL_MARK, HOST_MARK, RUN_MARK } from "../sandbox/environment.ts";
import type { SendFrame } from "./frame-writer.ts";
import { parseRunnerLine, type CallFrame, type RunnerFrame } from "./frames.ts";
import type { FrameLine } from "./frame-lines.ts";
import type { ProcessGroups } from "../processes/groups.ts";
import type { Processes } from "../processes/processes.ts";
import { refuseLateStart, type ToolCall } from "./tool-call.ts";
import { toToolError, ToolError } from "./tool-error.ts";
import { isToolName, TOOLS_OF, type HostRole } from "./tools.ts";
import type { Watchdog } from "./watchdog.ts";
import type { Workspace } from "./workspace.ts";

export type HostContext = {
  readonly workspace: Workspace;
  readonly groups: ProcessGroups;
  readonly watch: Watchdog;
  readonly processes: Processes;
  readonly mark: string;
  readonly send: SendFrame;
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
      const tool = TOOLS_OF[host.role][frame.tool];
      if (!tool) {
        throw new ToolError("invalid_request", `A host for ${host.role} does not ${frame.tool}`);
      }
      const signal = AbortSignal.any([abort.signal, host.ending]);
      const result = await tool(frame.input, toolCall(host, frame, signal));
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
    const parsed = parseRunnerLine(text, isToolName);
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
