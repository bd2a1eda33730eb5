// Looks after commands that go on behind their calls. The journal says which there are; their tool
// host, which dies with its runner, has their output. Ends that were noticed are journaled first.
import { z } from "zod";
import type { ProcessState } from "../../state/run/state.ts";
import type { ToolHostResult } from "../../workspace/client/tool-host/client.ts";
import { callHost, failed, type HostCall } from "./call-host.ts";
import { changesProtected, grantsOfProcess, hasNetwork, onePerHost } from "./process-ids.ts";
import {
  defineTool,
  failure,
  OutcomeUnknown,
  textOutput,
  type ToolContext,
  type ToolResult,
} from "./tool.ts";

const ACTIONS = ["list", "log", "input", "kill"] as const;
const input = z.object({
  action: z.enum(ACTIONS),
  process_id: z.string().min(1).max(64).optional().describe("For log, input and kill"),
  offset: z.int().nonnegative().optional().describe("log: first byte of all it ever printed"),
  tail: z.int().min(1).max(65_536).optional().describe("log: how many of the last bytes"),
  data: z.string().max(65_536).optional().describe("input: text for its standard input"),
  close: z.boolean().optional().describe("input: close its standard input after that"),
});
type Input = z.infer<typeof input>;
type Context = Omit<ToolContext, "item">;

export const processTool = defineTool<Input>({
  name: "process",
  description:
    "Background commands of this run: list them, read what one printed (log), write to its standard " +
    "input, or end it (kill). They end with the run.",
  input,
  risk: "execute",
  replay: "ask",
  label: ({ action, process_id }) => LABEL[action](process_id ?? ""),
  // What is typed into a shell is a command like any other.
  access: ({ action, process_id = "", data = "" }) =>
    action === "input"
      ? [
          {
            kind: "execute",
            command: data,
            network: hasNetwork(process_id),
            protected: changesProtected(process_id),
          },
        ]
      : [],
  touches: ({ action }) => (action === "input" ? "workspace" : []),
  execute: async (given, context) => {
    await noticeExits(context);
    if (given.action === "list") return list(context);
    const { process_id } = given;
    const known = context.log.state.processes.find(({ processId }) => processId === process_id);
    if (!known) return failure("not_found", `There is no process ${process_id ?? ""} in this run.`);
    return ask(given, known, context);
  },
  /** The runner died, and its tool host and every process with it: only input may have had an effect. */
  check: async ({ action, process_id }) =>
    action === "input" ? undefined : { ok: true, result: { process_id, message: LOST } },
});

const LOST = "It was lost with its runner: it no longer runs, and what it printed is gone.";
const LABEL: Record<Input["action"], (id: string) => string> = {
  list: () => "List background commands",
  log: (id) => `Output of ${id}`,
  input: (id) => `Type into ${id}`,
  kill: (id) => `End ${id}`,
};

function list({ log }: Context): ToolResult {
  const processes = log.state.processes.map(({ processId, command, status, exitCode }) => ({
    process_id: processId,
    command,
    running: status === "running",
    exit_code: exitCode,
  }));
  return { ok: true, result: { ok: true, processes } };
}

async function ask(given: Input, known: ProcessState, context: Context): Promise<ToolResult> {
  const grants = grantsOfProcess(known.processId);
  const call = { tool: "process", input: given, grants } as const;
  const answer = await (given.action === "input" ? callHost : callUnlessLost)(context, call);
  if (answer === "lost" || (!answer.ok && answer.error.code === "not_found")) {
    await noticeExits(context);
    return failure("process_lost", LOST);
  }
  if (!answer.ok) return failed(answer);
  await journalExits([answer.result as Seen], context);
  const { text, ...result } = answer.result;
  if (typeof text !== "string") return { ok: true, result };
  return { ok: true, result, output: textOutput(text) };
}

type Seen = {
  process_id: string;
  running: boolean;
  exit_code: number | null;
  signal: string | null;
};

/** A host that died during the call took its processes with it: that is an answer here. */
async function callUnlessLost(context: Context, call: HostCall): Promise<ToolHostResult | "lost"> {
  try {
    return await callHost(context, call);
  } catch (error) {
    if (error instanceof OutcomeUnknown) return "lost";
    throw error;
  }
}

/** Asks the hosts about every process the journal believes to run, and journals those that do not. */
async function noticeExits(context: Context): Promise<void> {
  const running = runningIn(context);
  for (const one of onePerHost(running)) {
    const grants = grantsOfProcess(one.processId);
    const call = { tool: "process", input: { action: "list" }, grants } as const;
    const answer = await callUnlessLost(context, call);
    if (answer !== "lost" && !answer.ok) continue;
    const seen = new Map(listed(answer).map((one) => [one.process_id, one]));
    const mine = running.filter(({ processId }) => grantsOfProcess(processId).tag === grants.tag);
    await journalExits(
      mine.map(({ processId }) => seen.get(processId) ?? lost(processId)),
      context,
    );
  }
}

function runningIn({ log }: Context): ProcessState[] {
  return log.state.processes.filter(({ status }) => status === "running");
}

function listed(answer: ToolHostResult | "lost"): Seen[] {
  if (answer === "lost" || !answer.ok) return [];
  return (answer.result["processes"] ?? []) as Seen[];
}

function lost(process_id: string): Seen {
  return { process_id, running: false, exit_code: null, signal: null };
}

async function journalExits(seen: readonly Seen[], context: Context): Promise<void> {
  await context.log.appendExits(seen.filter(({ running }) => !running));
}
