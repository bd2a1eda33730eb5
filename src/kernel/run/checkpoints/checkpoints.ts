// The way back: before a tool may change files their contents are in the blob store and named by
// `checkpoint.created`; afterwards `files.changed` says what it did to them.
import { text } from "node:stream/consumers";
import type { FileChange } from "../../events/catalogue/files.ts";
import type { Draft } from "../../events/events.ts";
import { sameVersion } from "./file-changes.ts";
import {
  HostRefused,
  keepAll,
  scanTree,
  storeBlob,
  versionsOf,
  type FileAccess,
  type Versioned,
} from "./file-versions.ts";
import {
  compareManifests,
  decodeManifest,
  encodeManifest,
  versionIn,
  type Manifest,
} from "./manifest.ts";
import type { RunLog } from "../loop/run-log.ts";
import { placeOfFile, type Place } from "../tools/outside.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";

const MAX_CHANGES = 500;
const PAGE = 1_000;
const MAX_LATEST = 64;
const MAX_KEPT = 64 << 20;

export type CheckpointDraft = Extract<Draft, { type: "checkpoint.created" }>;
export type Checkpoint = CheckpointDraft["payload"];
export type FilesChangedDraft = Extract<Draft, { type: "files.changed" }>;
/** A file is too large to be kept: the call must not run, because there would be no way back. */
export class CannotCheckpoint extends Error {
  override name = "CannotCheckpoint";
  readonly code = "cannot_checkpoint";
}

/** Undefined: the call changes no files. Every blob it names is complete when this returns. */
export async function captureBefore(
  context: ToolContext,
  tool: Tool,
): Promise<CheckpointDraft | undefined> {
  const { log, item } = context;
  const touched = await tool.touches?.(item.plan.arguments, context);
  if (touched === undefined || touched.length === 0) return undefined;
  const base = {
    checkpoint_id: `ck_${log.claim.runId}_${item.callId}_${item.attempt + 1}`,
    call_id: item.callId,
    label: `Before: ${item.label}`,
    files: [],
    paths: [],
    manifest: null,
    truncated: false,
  };
  const found = await (
    touched === "workspace" ? captureTree(context) : captureFiles(context, touched)
  ).catch((error: unknown) => notKept(error, base.label));
  const payload = { ...base, ...found };
  latest.set(log, [payload, ...(latest.get(log) ?? [])].slice(0, MAX_LATEST));
  return { type: "checkpoint.created", payload };
}

/** Undefined: nothing changed since `item.checkpointId`. Also after a crash. */
export async function changesAfter(context: ToolContext): Promise<FilesChangedDraft | undefined> {
  const { log, item } = context;
  const checkpoint = item.checkpointId && (await findCheckpoint(log, item.checkpointId));
  if (!checkpoint) return undefined;
  const { checkpoint_id, manifest } = checkpoint;
  const found = await (
    manifest === null ? changedFiles(context, checkpoint) : changedTree(context, manifest)
  ).catch((error: unknown) => {
    if (error instanceof HostRefused) return { changes: [], truncated: true };
    throw error;
  });
  if (found.changes.length === 0 && !found.truncated) return undefined;
  return { type: "files.changed", payload: { call_id: item.callId, checkpoint_id, ...found } };
}

// Of calls that run side by side: saves reading the log for what was appended a moment ago.
const latest = new WeakMap<RunLog, readonly Checkpoint[]>();

/** A checkpoint of this run as it was journaled. */
export async function findCheckpoint(
  log: RunLog,
  checkpointId: string,
): Promise<Checkpoint | undefined> {
  const mine = latest.get(log)?.find(({ checkpoint_id }) => checkpoint_id === checkpointId);
  if (mine) return mine;
  const { journal, claim } = log;
  for (let after = 0; ;) {
    const page = await journal.readRun(claim.runId, after, PAGE);
    for (const [seq, , body] of page?.rows ?? []) {
      after = seq;
      if (!body.includes("checkpoint.created") || !body.includes(checkpointId)) continue;
      const event = JSON.parse(body) as { type: string; payload: Checkpoint };
      const is =
        event.type === "checkpoint.created" && event.payload.checkpoint_id === checkpointId;
      if (is) return event.payload;
    }
    if (!page || page.rows.length === 0 || after >= page.head) return undefined;
  }
}

type Captured = Partial<Pick<Checkpoint, "label" | "paths" | "files" | "manifest" | "truncated">>;
type Changed = { changes: FileChange[]; truncated: boolean };

async function captureFiles(access: FileAccess, paths: readonly string[]): Promise<Captured> {
  const places = paths.map((path) => placeOfFile(access.log.workspace, path));
  const kept = await keepAll(access, await versionsOf(access, places));
  const files = kept.map(({ path, version }) => ({ path, version }));
  return { files, paths: files.map(({ path }) => path) };
}

async function captureTree(access: FileAccess): Promise<Captured> {
  const { journal } = access.log;
  const tree = await scanTree(access);
  const listed = tree.files.map((entry) => ({
    ...inWorkspace(entry[0]),
    version: versionIn(entry),
  }));
  const stored = await keepAll(access, listed);
  const files = tree.files.flatMap((entry, index) => {
    if (entry[1] === null) return [entry];
    const { path, version } = stored[index] ?? {};
    if (!version || path !== entry[0]) return []; // gone meanwhile
    return [[entry[0], version.sha256, version.bytes, version.mode] as const];
  });
  const { complete, unseen, truncated } = tree;
  const kept: Manifest = { complete, unseen, files };
  const manifest = await storeBlob(journal.blobs, encodeManifest(kept));
  recent = { sha256: manifest, manifest: kept };
  return { manifest, truncated };
}

async function changedFiles(
  access: FileAccess,
  { files, truncated }: Checkpoint,
): Promise<Changed> {
  const { workspace } = access.log;
  const places = files.map(({ path }) => placeOfFile(workspace, path));
  const now = await keepAfter(access, await versionsOf(access, places));
  const changes = files.flatMap(({ path, version: before }, index) => {
    const after = now[index]?.version ?? null;
    return sameVersion(before, after) ? [] : [{ path, before, after }];
  });
  return { changes, truncated };
}

async function changedTree(access: FileAccess, manifest: string): Promise<Changed> {
  const before = await readManifest(access.log, manifest);
  const { changes, lookAt, doubtful } = compareManifests(before, await scanTree(access));
  const looked = await versionsOf(
    access,
    lookAt.slice(0, MAX_CHANGES).map(({ path }) => inWorkspace(path).place),
  );
  const more = looked.map(({ version: after }, index) => ({
    path: lookAt[index]?.path ?? "",
    before: lookAt[index]?.before ?? null,
    after,
  }));
  const all = [...changes, ...more].filter((change) => !sameVersion(change.before, change.after));
  const listed = all.slice(0, MAX_CHANGES);
  const now = await keepAfter(
    access,
    listed.map(({ path, after }) => ({ ...inWorkspace(path), version: after })),
  );
  return {
    changes: listed.map((change, index) => ({ ...change, after: now[index]?.version ?? null })),
    truncated: doubtful || all.length > listed.length || lookAt.length > looked.length,
  };
}

// The manifest of the newest checkpoint, by its hash: a command usually ends before the next begins.
let recent: { readonly sha256: string; readonly manifest: Manifest } | undefined;

async function readManifest({ journal }: RunLog, sha256: string): Promise<Manifest> {
  if (recent?.sha256 === sha256) return recent.manifest;
  return decodeManifest(await text(journal.blobs.read(sha256)));
}

/** Content that is too large to be kept has no diff; the way back needs only its hash. */
async function keepAfter(
  access: FileAccess,
  files: readonly Versioned[],
): Promise<readonly Versioned[]> {
  const fits = files.filter(({ version }) => version !== null && version.bytes <= MAX_KEPT);
  const kept = new Map((await keepAll(access, fits)).map((file, index) => [fits[index], file]));
  return files.map((file) => kept.get(file) ?? file);
}

function inWorkspace(path: string): { path: string; place: Place } {
  return { path, place: { grants: undefined, path, shown: path } };
}

/** Not silent: a checkpoint that holds nothing says so, and the tool itself will meet the same reason. */
function notKept(error: unknown, label: string): Captured {
  if (!(error instanceof HostRefused)) throw error;
  if (error.code === "too_large") throw new CannotCheckpoint(error.message);
  return { truncated: true, label: `${label} (nothing could be kept: ${error.message})` };
}
