// Runs a shell command and shows what it prints while it runs, or starts one that goes on behind the
// call and is looked after with the `process` tool.
import { z } from "zod";
import type { ToolOutput } from "../tool-host-client.ts";
import { boundedOutput, type BoundedOutput, type OutputChannel } from "./bounded-output.ts";
import { callHost, failed } from "./call-host.ts";
import { newProcessId } from "./process-ids.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

const input = z.object({
  command: z.string().min(1).max(32_768).describe("A shell command, run in the workspace"),
  cwd: z.string().min(1).max(4_096).optional().describe("Directory inside the workspace"),
  timeout_s: z.int().min(1).max(3_600).optional(),
  background: z.boolean().optional().describe("Start it and go on; see it with the process tool"),
  network: z.boolean().optional().describe("Whether it needs the network"),
});
type Input = z.infer<typeof input>;

export const execTool = defineTool<Input>({
  name: "exec",
  description:
    "Run a shell command in the workspace and return what it printed. Without `network` it has none. " +
    "Everything it started ends with it; use `background` for servers and watchers.",
  input,
  risk: "execute",
  replay: "ask",
  label: ({ command }) => command,
  access: ({ command, network = false }) => [{ kind: "execute", command, network }],
  touches: () => "workspace",
  execute: async (given, context) =>
    given.background === true ? start(given, context) : run(given, context),
});

async function run(
  { network = false, command, cwd, timeout_s }: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const output = boundedOutput(context.log.journal);
  try {
    const answer = await callHost(context, {
      tool: "exec",
      input: { command, cwd, timeout_s },
      grants: { network },
      onOutput: (chunk) => show(chunk, output, context),
    });
    const printed = await output.finish((delta, channel) => tell(delta, channel, context));
    if (!answer.ok) return { ...failed(answer), output: printed };
    const result = { ...answer.result, truncated: printed.truncated };
    const limit = answer.result["limit"];
    return {
      ok: answer.result["ok"] === true,
      result,
      output: printed,
      exitCode: answer.result["exit_code"] as number | null,
      ...((limit === "memory" || limit === "processes") && { error: OVER_LIMIT[limit] }),
    };
  } finally {
    await output.discard();
  }
}

const OVER_LIMIT = {
  memory: { code: "limit", message: "The command used too much memory and was stopped." },
  processes: { code: "limit", message: "The command started too many processes and was stopped." },
};

async function start(
  { command, cwd, network = false }: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const process_id = newProcessId({ network });
  const answer = await callHost(context, {
    tool: "exec",
    input: { command, background: true, process_id, ...(cwd !== undefined && { cwd }) },
    grants: { network },
  });
  if (!answer.ok) return failed(answer);
  const payload = { process_id, call_id: context.item.callId, command };
  await context.log.append([{ type: "process.started", payload }]);
  return { ok: true, result: answer.result };
}

async function show(chunk: ToolOutput, output: BoundedOutput, context: ToolContext) {
  const delta = await output.add(chunk.data, chunk.stream);
  await tell(delta, chunk.stream, context);
}

async function tell(delta: string, channel: OutputChannel, { log, item }: ToolContext) {
  if (delta === "") return;
  const payload = { call_id: item.callId, channel, delta };
  await log.stream({ type: "tool.updated", payload }, delta.length);
}
