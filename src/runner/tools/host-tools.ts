// The tools that touch the outside world. They run in the tool host; this side describes them and
// carries what they print into the journal.
import { z } from "zod";
import { boundedOutput, type BoundedOutput } from "./bounded-output.ts";
import {
  defineTool,
  OutcomeUnknown,
  textOutput,
  type ToolContext,
  type ToolResult,
} from "./tool.ts";
import type { ToolHostResult, ToolOutput } from "../tool-host-client.ts";

const Path = z.string().min(1).max(4_096).describe("Path inside the workspace");

const ReadInput = z.object({
  path: Path,
  offset: z.int().min(1).optional().describe("First line, counting from 1"),
  limit: z.int().min(1).max(2_000).optional().describe("How many lines"),
});
export const readTool = defineTool({
  name: "read",
  description: "Read lines of a text file in the workspace.",
  input: ReadInput,
  risk: "read",
  replay: "safe",
  label: ({ path, offset, limit }) =>
    offset === undefined ? `Read ${path}` : `Read ${path}:${offset}–${offset + (limit ?? 500) - 1}`,
  execute: async (input, context) => {
    const answer = await callHost("read", input, context);
    if (!answer.ok) return failed(answer);
    const { text, ...result } = answer.result;
    return { ok: true, result, output: textOutput(typeof text === "string" ? text : "") };
  },
});

const WriteInput = z.object({
  path: Path,
  content: z.string().max(524_288).describe("The whole new content of the file"),
});
export const writeTool = defineTool({
  name: "write",
  description: "Create a text file in the workspace, or replace it as a whole.",
  input: WriteInput,
  risk: "write",
  replay: "ask",
  label: ({ path }) => `Write ${path}`,
  execute: async (input, context) => {
    const answer = await callHost("write", input, context);
    return answer.ok ? { ok: true, result: answer.result } : failed(answer);
  },
  check: async (input, context) => {
    const answer = await callHost("write", { ...input, check: true }, context);
    if (!answer.ok) return failed(answer);
    if (answer.result["matches"] !== true) return undefined;
    return { ok: true, result: { checked: true, path: input.path } };
  },
});

const ExecInput = z.object({
  command: z.string().min(1).max(32_768).describe("A shell command, run in the workspace"),
  timeout_s: z.int().min(1).max(3_600).optional(),
});
export const execTool = defineTool({
  name: "exec",
  description: "Run a shell command in the workspace and return what it printed.",
  input: ExecInput,
  risk: "execute",
  replay: "ask",
  label: ({ command }) => command,
  execute: async (input, context) => {
    const output = boundedOutput(context.log.journal.blobs);
    try {
      const answer = await callHost("exec", input, context, (chunk) =>
        show(chunk, output, context),
      );
      const printed = await output.finish();
      if (!answer.ok) return { ...failed(answer), output: printed };
      const exitCode = answer.result["exit_code"] as number | null;
      return { ok: answer.result["ok"] === true, result: answer.result, output: printed, exitCode };
    } finally {
      await output.discard();
    }
  },
});

async function show(chunk: ToolOutput, output: BoundedOutput, { log, item }: ToolContext) {
  const delta = await output.add(chunk.data);
  if (delta === "") return;
  const payload = { call_id: item.callId, channel: chunk.stream, delta };
  await log.stream({ type: "tool.updated", payload }, delta.length);
}

async function callHost(
  tool: "read" | "write" | "exec",
  input: unknown,
  context: ToolContext,
  onOutput?: (output: ToolOutput) => Promise<void>,
): Promise<ToolHostResult> {
  const { log, host, claimedUntil, signal } = context;
  const answer = await host.call({
    tool,
    input,
    marker: log.claim.runId,
    notAfter: claimedUntil(),
    signal,
    ...(onOutput && { onOutput }),
  });
  if (!answer.ok && answer.error.code === "host_died")
    throw new OutcomeUnknown(answer.error.message);
  return answer;
}

function failed(answer: ToolHostResult & { ok: false }): ToolResult {
  return { ok: false, result: null, error: answer.error };
}
