// Content that does not fit into one frame, put together part by part before a restore uses it.
// Bounded: when there is no more room, what was begun first is forgotten.
import { ToolError } from "../host/tool-error.ts";
import type { Workspace } from "../host/workspace.ts";

const MAX_BYTES = 128 << 20;

const stages = new WeakMap<Workspace, Map<string, Buffer[]>>();

export function stageContent(workspace: Workspace, id: string, part: Buffer): number {
  const stage = stages.get(workspace) ?? new Map<string, Buffer[]>();
  stages.set(workspace, stage);
  const parts = [...(stage.get(id) ?? []), part];
  stage.set(id, parts);
  for (const [other] of stage) {
    if ([...stage.values()].reduce((sum, each) => sum + size(each), 0) <= MAX_BYTES) break;
    stage.delete(other);
  }
  if (!stage.has(id)) throw new ToolError("too_large", "There is no room for that much content");
  return size(parts);
}

/** Once: whatever happens to the restore, the memory is free again. */
export function takeStaged(workspace: Workspace, id: string): Buffer {
  const parts = stages.get(workspace)?.get(id);
  if (!parts) throw new ToolError("invalid_request", `Nothing was staged as ${id}`);
  stages.get(workspace)?.delete(id);
  return Buffer.concat(parts);
}

function size(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
