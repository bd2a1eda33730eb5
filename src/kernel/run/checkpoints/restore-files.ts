// Carries out the way back: asks the tool host about every file first, and lets it change any only when
// nothing stands in the way of all of them. Contents travel in parts that fit into a frame.
import { buffer } from "node:stream/consumers";
import type { BlobStore } from "../../blobs/blobs.ts";
import type { FileVersion } from "../../events/catalogue/files.ts";
import type { NetChange } from "./file-changes.ts";
import { ask, type FileAccess } from "./file-versions.ts";
import { MAX_RESTORES, type Conflict } from "../../workspace/files/restore.ts";
import { placeOfFile, type Place } from "../tools/outside.ts";

const INLINE_BYTES = 8 << 20;

export type Restored = {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  readonly conflicts: readonly Conflict[];
};
type Step = NetChange & { readonly place: Place; readonly shown: string };

/** What would happen, and what stands in the way. Changes nothing. */
export async function previewRestore(
  access: FileAccess,
  changes: readonly NetChange[],
): Promise<Restored> {
  const steps = changes.map((change) => stepOf(access, change));
  const broken = steps.filter((step) => step.broken);
  const lost: Step[] = [];
  for (const step of steps) if (!(await isKept(access, step.before))) lost.push(step);
  const known = [
    ...broken.map(({ shown }) => ({ path: shown, reason: "changed_between" })),
    ...lost.map(({ shown }) => ({ path: shown, reason: "content_not_kept" })),
  ];
  const rest = steps.filter((step) => !broken.includes(step) && !lost.includes(step));
  const answers: Restored[] = [{ restored: [], removed: [], conflicts: known }];
  for (const batch of batchesOf(rest)) {
    const files = batch.map((step) => ({ ...expectation(step), to: step.before?.sha256 ?? null }));
    answers.push(await send(access, batch, { files, dry_run: true }));
  }
  return joined(answers);
}

/** Only after a preview without conflicts. One that arises meanwhile stops it where it is. */
export async function restoreFiles(
  access: FileAccess,
  changes: readonly NetChange[],
): Promise<Restored> {
  const answers: Restored[] = [];
  for (const batch of batchesOf(changes.map((change) => stepOf(access, change)))) {
    const files = [];
    for (const step of batch)
      files.push({ ...expectation(step), ...(await contentFor(access, step)) });
    const answer = await send(access, batch, { files });
    answers.push(answer);
    if (answer.conflicts.length > 0) break;
  }
  return joined(answers);
}

function stepOf({ log }: FileAccess, change: NetChange): Step {
  const place = placeOfFile(change.workspace, change.path);
  if (change.workspace === log.workspace || place.grants) {
    return { ...change, place, shown: place.shown };
  }
  // A run of the session that worked elsewhere.
  return { ...change, place: { ...place, grants: { root: change.workspace } }, shown: change.path };
}

function expectation({ place, before, after }: Step) {
  return {
    path: place.path,
    expect: after?.sha256 ?? null,
    mode: before?.mode ?? 0o644,
    ...(after && { expect_mode: after.mode }),
  };
}

/** Files of one host, few and small enough for one frame; a large one goes alone. */
function batchesOf(steps: readonly Step[]): Step[][] {
  const batches: Step[][] = [];
  for (const group of Map.groupBy(steps, ({ place }) => place.grants?.root).values()) {
    let batch: Step[] = [];
    let bytes = 0;
    for (const step of group) {
      const size = step.before?.bytes ?? 0;
      if (batch.length > 0 && (batch.length >= MAX_RESTORES || bytes + size > INLINE_BYTES)) {
        batches.push(batch);
        batch = [];
        bytes = 0;
      }
      batch.push(step);
      bytes += size;
    }
    batches.push(batch);
  }
  return batches;
}

async function contentFor(access: FileAccess, { before, place }: Step) {
  if (!before) return { to: null };
  const { blobs } = access.log.journal;
  if (before.bytes <= INLINE_BYTES) {
    return { to: (await buffer(blobs.read(before.sha256))).toString("base64") };
  }
  const id = crypto.randomUUID();
  for await (const part of partsOf(blobs, before)) {
    const stage = { id, data: part.toString("base64") };
    await ask(access, { tool: "restore", input: { stage }, grants: place.grants });
  }
  return { staged: id };
}

async function* partsOf(blobs: BlobStore, { sha256, bytes }: FileVersion): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes; start += INLINE_BYTES) {
    const end = Math.min(start + INLINE_BYTES, bytes) - 1;
    yield await buffer(blobs.read(sha256, { start, end }));
  }
}

async function send(access: FileAccess, batch: readonly Step[], input: unknown): Promise<Restored> {
  const grants = batch[0]?.place.grants;
  const answer = (await ask(access, { tool: "restore", input, grants })) as unknown as Restored;
  const names = new Map(batch.map(({ place, shown }) => [place.path, shown]));
  const shown = (path: string) => names.get(path) ?? path;
  return {
    restored: answer.restored.map(shown),
    removed: answer.removed.map(shown),
    conflicts: answer.conflicts.map(({ path, reason }) => ({ path: shown(path), reason })),
  };
}

async function isKept({ log }: FileAccess, version: FileVersion | null): Promise<boolean> {
  return version === null || (await log.journal.blobs.size(version.sha256)) === version.bytes;
}

function joined(answers: readonly Restored[]): Restored {
  return {
    restored: answers.flatMap(({ restored }) => restored),
    removed: answers.flatMap(({ removed }) => removed),
    conflicts: answers.flatMap(({ conflicts }) => conflicts),
  };
}
