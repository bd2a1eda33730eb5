// A tool of an MCP server as a tool of ours. What is called is what was planned: a description that
// changed since then stops the call. Its risk is ours to name, whatever the server says of itself.
import { z } from "zod";
import type { Progress, CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import {
  defineForeignTool,
  failure,
  OutcomeUnknown,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../tools/tool.ts";
import { type ForeignTool, depthBeyond } from "./describe-tool.ts";
import { McpFailure, McpUnavailable } from "./mcp-errors.ts";
import type { ServerLink } from "./server-link.ts";
import { isImageType, mediaTypeOf, SNIFF_BYTES } from "../../events/media-type.ts";
import { MAX_PICTURES } from "../../state/tool-pictures.ts";
import type { Keeping } from "../tools/bounded-output.ts";
import { keptText } from "../web/tool-results.ts";

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

// What a foreign tool answered, as a result of ours: its text is the output, its structure the result,
// both bounded. Pictures are kept as blobs, for people and for models that see; other files are only named.
const MAX_STRUCTURE = 65_536;
const MAX_DEPTH = 48;

async function resultOf(answer: CallToolResult, journal: Keeping): Promise<ToolResult> {
  const text = answer.content.map(textOf).join("\n").toWellFormed();
  const ok = answer.isError !== true;
  const content = structured(answer.structuredContent);
  const output = await keptText(text, journal);
  const images = await keptImages(answer.content, journal);
  const result = {
    ok,
    truncated: output.truncated,
    ...(content !== undefined && { content }),
    ...(images.length > 0 && { images }),
  };
  if (ok) return { ok, result, output };
  const message = text.slice(0, 1_000).toWellFormed() || "The tool says that it failed.";
  return { ok, result, output, error: { code: "tool_failed", message } };
}

type KeptImage = { readonly sha256: string; readonly bytes: number; readonly media_type: string };

/** In the blob store before the result names them. What they are is told by their bytes, not by the server. */
async function keptImages(
  content: readonly ContentBlock[],
  { blobs }: Keeping,
): Promise<KeptImage[]> {
  const kept: KeptImage[] = [];
  for (const block of content) {
    if (block.type !== "image" || kept.length === MAX_PICTURES) continue;
    const image = Buffer.from(block.data, "base64");
    const media_type = mediaTypeOf(image.subarray(0, SNIFF_BYTES), { whole: true });
    if (!isImageType(media_type)) continue;
    const blob = blobs.create();
    try {
      await blob.write(image);
      kept.push({ ...(await blob.finish()), media_type });
    } finally {
      await blob.discard();
    }
  }
  return kept;
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType.slice(0, 100)}, ${bytesOf(block.data)} bytes]`;
    case "resource_link":
      return `[link: ${block.name.slice(0, 200)}, ${block.uri.slice(0, 2_000)}]`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return resource.text;
      const type = resource.mimeType?.slice(0, 100) ?? "of unknown type";
      return `[file: ${resource.uri.slice(0, 2_000)}, ${type}, ${bytesOf(resource.blob)} bytes]`;
    }
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}

/** The structure as JSON, or a word on why it was left out: half of one would mislead. */
function structured(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (depthBeyond(value, MAX_DEPTH)) return "[left out: nested too deep]";
  const text = JSON.stringify(value);
  if (text.length > MAX_STRUCTURE) return `[left out: ${text.length} characters]`;
  return JSON.parse(text, (_key, part: unknown) =>
    typeof part === "string" ? part.toWellFormed() : part,
  );
}
