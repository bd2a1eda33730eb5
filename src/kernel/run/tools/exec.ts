// Runs a shell command and shows what it prints while it runs, or starts one that goes on behind the
// call and is looked after with the `process` tool.
import { z } from "zod";
import type { ToolOutput } from "../../workspace/client/tool-host/client.ts";
import { boundedOutput, type BoundedOutput, type OutputChannel } from "./bounded-output.ts";
import { callHost, failed } from "./call-host.ts";
import { guardBackground, guarded, withTaken } from "./guarded-call.ts";
import { hostTag, newProcessId } from "./process-ids.ts";
import { HostRefused } from "../checkpoints/file-versions.ts";
import { defineTool, failure, type HostGrants, type ToolContext, type ToolResult } from "./tool.ts";

const input = z.object({
  command: z.string().min(1).max(32_768).describe("A shell command, run in the workspace"),
  cwd: z.string().min(1).max(4_096).optional().describe("Directory inside the workspace"),
  timeout_s: z.int().min(1).max(3_600).optional(),
  background: z.boolean().optional().describe("Start it and go on; see it with the process tool"),
  network: z.boolean().optional().describe("Whether it needs the network"),
  protected: z
    .boolean()
    .optional()
    .describe("Whether it must change protected files such as .git/config or .vscode"),
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
  access: ({ command, cwd, network = false, protected: changes }) => [
    { kind: "execute", command, cwd, network, protected: changes },
  ],
  touches: () => "workspace",
  execute: async (given, context) =>
    given.background === true ? start(given, context) : run(given, context),
});

async function run(
  { command, cwd, timeout_s, ...rights }: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const output = boundedOutput(context.log.journal, context.log.outputRoom);
  try {
    const grants = await grantsOf(rights, context);
    const { answer, taken } = await guarded(context, grants, () =>
      callHost(context, {
        tool: "exec",
        input: { command, cwd, timeout_s, files: context.item.plan.files },
        grants,
        onOutput: (chunk) => show(chunk, output, context),
      }),
    );
    const printed = await output.finish((delta, channel) => emit(delta, channel, context));
    if (!answer.ok) return withTaken({ ...failed(answer), output: printed }, taken);
    const leftOut = output.leftOut();
    const result = {
      ...answer.result,
      truncated: printed.truncated,
      ...(leftOut > 0 && { left_out_bytes: leftOut, left_out_because: TOO_MUCH }),
    };
    const limit = answer.result["limit"];
    const done = {
      ok: answer.result["ok"] === true,
      result,
      output: printed,
      exitCode: answer.result["exit_code"] as number | null,
      ...((limit === "memory" || limit === "processes") && { error: OVER_LIMIT[limit] }),
    };
    return withTaken(done, taken);
  } catch (error) {
    if (error instanceof HostRefused) return failure(error.code, error.message);
    throw error;
  } finally {
    await output.discard();
  }
}

const TOO_MUCH =
  "It printed more than is kept of one call or session (tool_output_mb, session_output_mb).";

const OVER_LIMIT = {
  memory: { code: "limit", message: "The command used too much memory and was stopped." },
  processes: { code: "limit", message: "The command started too many processes and was stopped." },
};

type Rights = Pick<Input, "network" | "protected">;

/** What it may reach is what was asked for and allowed, without what rules deny. */
async function grantsOf(
  { network = false, protected: changes = false }: Rights,
  { hidden }: ToolContext,
): Promise<HostGrants> {
  const grants = { network, protected: changes, hidden: (await hidden?.()) ?? [] };
  return { ...grants, tag: hostTag(grants) };
}

async function start(
  { command, cwd, ...rights }: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const grants = await grantsOf(rights, context);
  const process_id = newProcessId(grants);
  const { files } = context.item.plan;
  await guardBackground(context, grants);
  const answer = await callHost(context, {
    tool: "exec",
    input: { command, background: true, process_id, files, ...(cwd !== undefined && { cwd }) },
    grants,
  });
  if (!answer.ok) return failed(answer);
  const payload = { process_id, call_id: context.item.callId, command };
  await context.log.append([{ type: "process.started", payload }]);
  return { ok: true, result: answer.result };
}

async function show(chunk: ToolOutput, output: BoundedOutput, context: ToolContext) {
  const delta = await output.add(chunk.data, chunk.stream);
  await emit(delta, chunk.stream, context);
}

async function emit(delta: string, channel: OutputChannel, { log, item }: ToolContext) {
  if (delta === "") return;
  const payload = { call_id: item.callId, channel, delta };
  await log.stream({ type: "tool.updated", payload }, delta.length);
}
