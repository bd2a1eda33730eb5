// What taking back a series of changes comes to, file by file. Pure. Only the agent's own writes are
// taken back: content that somebody else wrote in between must never be lost by it.
import { isAbsolute, join } from "node:path";
import type { ChangeRecord } from "../../api/records/records.ts";
import type { FileVersion } from "../../events/catalogue/files.ts";

/** Bringing the file from `after` (what it must be now) to `before`. */
export type NetChange = {
  readonly path: string;
  readonly workspace: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
  /** Somebody else wrote in between, and going back would lose that. */
  readonly broken: boolean;
};

export type Selection = {
  /** Only what this one call did. */
  readonly checkpointId?: string;
  readonly paths?: readonly string[];
  readonly afterSessionSeq?: number;
};

export function selectChanges(
  records: readonly ChangeRecord[],
  { checkpointId, paths, afterSessionSeq = 0 }: Selection,
): readonly ChangeRecord[] {
  const wanted = paths && new Set(paths);
  return records.filter(
    ({ path, checkpoint_id, session_seq }) =>
      (checkpointId === undefined || checkpoint_id === checkpointId) &&
      (wanted?.has(path) ?? true) &&
      session_seq > afterSessionSeq,
  );
}

/** `records` oldest first. Files that are back where they were are left out. */
export function netChanges(records: readonly ChangeRecord[]): readonly NetChange[] {
  const byFile = new Map<string, NetChange>();
  for (const record of records) {
    const { path, workspace, before, after } = record;
    const file = isAbsolute(path) ? path : join(workspace, path);
    const earlier = byFile.get(file);
    if (!earlier) {
      byFile.set(file, { path, workspace, before, after, broken: false });
      continue;
    }
    // What was found is either what we left, or somebody's: then it counts whether going back ends there.
    const own = sameContent(before, earlier.after);
    const broken = own ? earlier.broken : !sameContent(before, earlier.before);
    // A mode that was not left so by us is somebody's, and where going back ends.
    const mode = before?.mode === earlier.after?.mode ? undefined : before?.mode;
    const first = earlier.before && { ...earlier.before, ...(mode !== undefined && { mode }) };
    byFile.set(file, { ...earlier, before: first, after, broken });
  }
  return [...byFile.values()].filter(({ before, after }) => !sameVersion(before, after));
}

export function sameVersion(one: FileVersion | null, other: FileVersion | null): boolean {
  return sameContent(one, other) && one?.mode === other?.mode;
}

function sameContent(one: FileVersion | null, other: FileVersion | null): boolean {
  return one?.sha256 === other?.sha256;
}
