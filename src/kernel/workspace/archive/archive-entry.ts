// The entries of an archive of any format. Nothing is unpacked before its bytes are requested, and nothing is ever
// written or run.
import { SKILL_LIMITS } from "../../events/skill-limits.ts";
import { ToolError } from "../host/tool-error.ts";

export type ArchiveEntry = {
  readonly path: string; // without a slash at its end
  readonly kind: "file" | "folder" | "link" | "other";
  readonly bytes: number;
  readonly executable: boolean;
  /** Throws when what is there is not what the archive said. */
  readonly read: () => Buffer | Promise<Buffer>;
};

export function refuse(message: string): never {
  throw new ToolError("invalid_request", message);
}

export function tooLarge(message: string): never {
  throw new ToolError("too_large", message);
}

export function checkCount(entries: number): void {
  if (entries > SKILL_LIMITS.archiveEntries) {
    tooLarge(`The archive has more than ${SKILL_LIMITS.archiveEntries} entries`);
  }
}
