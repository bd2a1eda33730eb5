// What tools answer about a file: enough for a viewer to open it at the right lines.
import type { LineArea } from "../../../workspace/files/replace-text.ts";
import type { ToolHostResult } from "../../../workspace/client/tool-host/client.ts";
import { callHost, failed, type HostCall } from "../call-host.ts";
import { protectedPatterns } from "../../permissions/protected-files.ts";
import { pathRestricted } from "../../../workspace/listing/path-patterns.ts";
import { leftOutOf, placeOfFile } from "../outside.ts";
import type { ToolContext, ToolResult } from "../tool.ts";

/** `path` as it was given; `viewerPath` normalised, relative to the workspace unless outside of it. */
export type FileMeta = {
  readonly path: string;
  readonly viewerPath: string;
  readonly area?: LineArea;
};

type FileCall = { tool: HostCall["tool"]; input: { path: string } };

/** Calls the host that may open this file. */
export async function callFileHost(
  context: ToolContext,
  { tool, input }: FileCall,
): Promise<ToolHostResult> {
  const { workspace } = context.log;
  const place = placeOfFile(workspace, input.path);
  const { grants, path } = place;
  const judged = (pattern: string) => pathRestricted({ pattern, workspace }, input.path);
  const leftOut = await leftOutOf(context, place, {
    more: tool === "read" ? [] : protectedPatterns(workspace),
    unless: judged, // by the name that was given
  });
  const given = { ...input, path, ...leftOut };
  return callHost(context, { tool, input: given, ...(grants && { grants }) });
}

export function fileMeta(workspace: string, path: string, area?: LineArea): FileMeta {
  return { path, viewerPath: placeOfFile(workspace, path).shown, ...(area && { area }) };
}

/** The host's own word for a file is replaced by ours; everything else it said is kept. */
export function fileResult(
  { log }: ToolContext,
  path: string,
  answer: ToolHostResult,
): ToolResult & { readonly text: string } {
  if (!answer.ok) return { ...failed(answer), text: "" };
  const { text, file: _file, ...rest } = answer.result;
  const area = rest["area"] as LineArea | undefined;
  const result = { ...rest, file: fileMeta(log.workspace, path, area) };
  return { ok: true, result, text: typeof text === "string" ? text : "" };
}
