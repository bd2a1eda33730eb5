// After a crash: did a change of one file take place? Told by its content now, the content it had
// before (from the checkpoint) and the content the change would have made.
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { FileVersion } from "../../../events/catalogue/files.ts";
import { findCheckpoint } from "../../checkpoints/checkpoints.ts";
import { versionsOf } from "../../checkpoints/file-versions.ts";
import type { LineArea } from "../../../workspace/files/replace-text.ts";
import { fileMeta } from "./result.ts";
import { placeOfFile } from "../outside.ts";
import { failure, type ToolContext, type ToolResult } from "../tool.ts";

export type Expected = {
  readonly sha256: string;
  readonly area: LineArea;
  readonly bytes?: number;
};

/** Of `check`: nothing has happened, the call may simply be made again. */
export const DID_NOT_HAPPEN = "did_not_happen";

/** Undefined: it cannot be told, because somebody else has changed the file since. */
export async function checkChange(
  context: ToolContext,
  path: string,
  expected: (before: FileVersion | null | undefined) => Promise<Expected | undefined>,
): Promise<ToolResult | undefined> {
  const { log, item } = context;
  const { workspace } = log;
  const [now] = await versionsOf(context, [placeOfFile(workspace, path)]);
  if (!now || now.problem !== undefined) return undefined;
  const checkpoint = item.checkpointId && (await findCheckpoint(log, item.checkpointId));
  const before = checkpoint ? checkpoint.files[0]?.version : undefined; // undefined: not known
  const made = await expected(before);
  const sha256 = now.version?.sha256;
  if (made && sha256 === made.sha256) {
    const { area, bytes } = made;
    const file = fileMeta(workspace, path, area);
    return {
      ok: true,
      result: { ok: true, file, area, ...(bytes !== undefined && { bytes }), checked: true },
    };
  }
  if (before !== undefined && sha256 === before?.sha256) {
    return failure(DID_NOT_HAPPEN, "The file is as it was before.");
  }
  return undefined;
}

export async function contentOf(
  { log }: ToolContext,
  version: FileVersion | null,
): Promise<Buffer> {
  return version ? buffer(log.journal.blobs.read(version.sha256)) : Buffer.alloc(0);
}

export function sha256Of(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
