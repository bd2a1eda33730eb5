// Where a command starts: the workspace, or a directory inside it.
import { plainText } from "../host/call-input.ts";
import { locate } from "./paths.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError } from "../host/tool-error.ts";

export async function workingDirectory(
  fields: Record<string, unknown>,
  call: ToolCall,
): Promise<string> {
  const path = fields["cwd"] === undefined ? "." : plainText(fields, "cwd");
  await using location = await locate(call.workspace, path, "expect");
  if (!location.stats) throw new ToolError("not_found", `No such directory: ${path}`);
  if (!location.stats.isDirectory()) {
    throw new ToolError("invalid_request", `${path} is not a directory`);
  }
  return location.realPath;
}
