// A tool of an MCP server as a tool of ours. What is called is what was planned: a description that
// changed since then stops the call. Its risk is ours to name, whatever the server says of itself.
import { z } from "zod";
import type { Progress } from "@modelcontextprotocol/client";
import {
  defineForeignTool,
  failure,
  OutcomeUnknown,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../tools/tool.ts";
import { resultOf } from "./call-result.ts";
import type { ForeignTool } from "./describe-tool.ts";
import { McpFailure, McpUnavailable } from "./mcp-errors.ts";
import type { ServerLink } from "./server-link.ts";

const MAX_PROGRESS = 65_536; // characters per call: beyond it a window has seen enough

export type ForeignCall = {
  readonly server: string;
  /** What a rule that trusts the server is bound to. */
  readonly program: string;
  readonly tool: ForeignTool;
  readonly link: ServerLink;
  readonly callMs: number;
  /** It runs in the workspace's tool host, so whatever it is asked may change files there. */
  readonly inWorkspace: boolean;
};

export function foreignTool(call: ForeignCall): Tool {
  const { server, program, tool, inWorkspace } = call;
  return defineForeignTool({
    name: tool.name,
    description: tool.description,
    input: z.record(z.string(), z.unknown()),
    inputSchema: tool.inputSchema,
    schemaHash: tool.schemaHash,
    risk: "execute",
    replay: "ask",
    label: (input) =>
      `${server}: ${tool.title} ${JSON.stringify(input).slice(0, 200)}`.toWellFormed(),
    access: () => [{ kind: "foreign", schema: tool.schemaHash, server: { name: server, program } }],
    touches: () => (inWorkspace ? "workspace" : []),
    execute: (input, context) => execute(input, context, call),
  });
}

async function execute(
  input: Record<string, unknown>,
  context: ToolContext,
  { server, tool, link, callMs }: ForeignCall,
): Promise<ToolResult> {
  const { log, item, signal, claimedUntil: notAfter } = context;
  try {
    const { connection, tools } = await link.ready({ timeoutMs: callMs, signal });
    const current = tools.find(({ original }) => original === tool.original);
    if (!current || current.schemaHash !== item.plan.schema_hash) return changed(server);
    const onProgress = progressWriter(context);
    const request = { tool: current, input, timeoutMs: callMs, signal, notAfter, onProgress };
    try {
      const answer = await connection.call(request);
      link.worked();
      return await resultOf(answer, log.journal);
    } catch (error) {
      if (error instanceof OutcomeUnknown || error instanceof McpUnavailable)
        await link.drop(connection);
      throw error;
    }
  } catch (error) {
    if (error instanceof McpFailure) return failure(error.code, `${server}: ${error.message}`);
    if (error instanceof McpUnavailable)
      return failure("mcp_unavailable", `${server} cannot be used now. ${error.message}`);
    throw error;
  }
}

function changed(server: string): ToolResult {
  const what = `What ${server} says about this tool changed since the call was planned, so it was not made.`;
  return failure("schema_changed", `${what} Look at it again and plan again.`);
}

/** Shows progress while the last one is on its way out; what comes too fast is left out (B4). */
function progressWriter({ log, item }: ToolContext): (progress: Progress) => void {
  let shown = 0;
  let writing = false;
  return ({ progress, total, message = "" }) => {
    if (writing || shown > MAX_PROGRESS) return;
    const of = total === undefined ? "" : `/${total}`;
    const delta = `${progress}${of} ${message.slice(0, 1_000)}`.trim().toWellFormed() + "\n";
    shown += delta.length;
    writing = true;
    const payload = { call_id: item.callId, channel: "progress", delta } as const;
    // A log that cannot be written ends the call's run by itself; here it only ends the showing.
    log.stream({ type: "tool.updated", payload }, delta.length).then(
      () => (writing = false),
      () => undefined,
    );
  };
}
