// Restores files to an earlier content. Every file is compared with what the caller expects before any is changed:
// one that somebody else changed refuses all of them.
import { createHash } from "node:crypto";
import { unlink } from "node:fs/promises";
import { normalize } from "node:path";
import { flag, list, number, plainText, record, text } from "../host/call-input.ts";
import { withFileLocked } from "./file-locks.ts";
import type { ToolResult } from "../host/frames.ts";
import type { Location } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";
import type { ToolCall } from "../host/tool-call.ts";
import { ToolError, toToolError } from "../host/tool-error.ts";
import { versionOf } from "../host/version.ts";
import type { Workspace } from "../host/workspace.ts";

/** So that the answer fits into a frame whatever the paths are. */
export const MAX_RESTORES = 50;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * `expect`: the hash the file has now, null for none. `content` null: there shall be no file. A mode that is
 * not `expectMode` any more is somebody else's and stays.
 */
type Request = {
  readonly path: string;
  readonly expect: string | null;
  readonly content: Buffer | null;
  readonly sha256: string | null;
  readonly mode: number;
  readonly expectMode: number | undefined;
};
export type Conflict = { readonly path: string; readonly reason: string };
type Found =
  | { readonly state: "ready" | "already"; readonly mode: number }
  | { readonly state: "conflict"; reason: string };

/**
 * Only `expect` and `to` (a hash) are needed for a `dry_run`. Else each file has `to` as base64 or null, or
 * `staged`, the id under which its parts were sent before by calls with `stage`.
 */
export async function restore(input: unknown, call: ToolCall): Promise<ToolResult> {
  const fields = record(input);
  if (fields["stage"] !== undefined) return stage(record(fields["stage"]), call);
  const dryRun = flag(fields, "dry_run");
  const requests = list(fields, "files", MAX_RESTORES).map((file) =>
    requestOf(record(file), call, dryRun),
  );
  call.begin();

  const ready: Request[] = [];
  const unchanged: string[] = [];
  const conflicts: Conflict[] = [];
  for (const request of requests) {
    const found = await compare(request, call);
    if (found.state === "conflict") conflicts.push({ path: request.path, reason: found.reason });
    else if (found.state === "ready") ready.push(request);
    else unchanged.push(request.path);
  }
  const none = { restored: [], removed: [], unchanged, conflicts };
  if (conflicts.length > 0) return { ok: false, ...none };
  if (dryRun) return { ok: true, ...none, ...named(ready) };
  return { ...(await apply(ready, call)), unchanged };
}

function stage(fields: Record<string, unknown>, call: ToolCall): ToolResult {
  const part = Buffer.from(text(fields, "data"), "base64");
  return { ok: true, bytes: stageContent(call.workspace, plainText(fields, "id"), part) };
}

function requestOf(file: Record<string, unknown>, call: ToolCall, dryRun: boolean): Request {
  const path = plainText(file, "path");
  const expect = file["expect"];
  const mode = modeIn(file, "mode") ?? 0o644;
  if (expect !== null && !(typeof expect === "string" && SHA256.test(expect))) {
    throw new ToolError("invalid_request", "expect must be a SHA-256 or null");
  }
  const base = { path, expect, mode, expectMode: modeIn(file, "expect_mode") };
  if (file["to"] === null) return { ...base, content: null, sha256: null };
  if (dryRun) return { ...base, content: null, sha256: text(file, "to") };
  const content =
    file["staged"] === undefined
      ? Buffer.from(text(file, "to"), "base64")
      : takeStaged(call.workspace, plainText(file, "staged"));
  return { ...base, content, sha256: createHash("sha256").update(content).digest("hex") };
}

function modeIn(file: Record<string, unknown>, name: string): number | undefined {
  if (file[name] === undefined) return undefined;
  return number(file, name, { fallback: 0, min: 0, max: 0o777, whole: true });
}

async function compare(request: Request, call: ToolCall): Promise<Found> {
  const { path, expect, sha256, expectMode } = request;
  const { version, problem, path: found } = await versionOf(path, call);
  if (problem !== undefined) return { state: "conflict", reason: problem };
  // Paths here have no links: one that stands there now would pass another file off as this one.
  if (found !== normalize(path)) return { state: "conflict", reason: "is_link" };
  const now = version?.sha256 ?? null;
  const isTheirs = version !== null && version.mode !== (expectMode ?? version.mode);
  const mode = isTheirs ? version.mode : request.mode;
  const isSame = version === null || version.mode === mode;
  if (now === sha256 && isSame) return { state: "already", mode };
  if (now === expect || now === sha256) return { state: "ready", mode };
  if (now === null) return { state: "conflict", reason: "removed_since" };
  return { state: "conflict", reason: expect === null ? "created_since" : "changed_since" };
}

async function apply(requests: readonly Request[], call: ToolCall): Promise<ToolResult> {
  const done: Request[] = [];
  for (const request of requests) {
    try {
      const parents = request.content === null ? "expect" : "create";
      const place = { workspace: call.workspace, path: request.path, parents } as const;
      call.begin();
      await withFileLocked(place, (location) => bringBack(location, request, call));
      done.push(request);
    } catch (error) {
      const { code, message } = toToolError(error);
      const conflicts = [
        { path: request.path, reason: code === "conflict" ? "changed_since" : code },
      ];
      if (code === "conflict") return { ok: false, ...named(done), conflicts };
      if (done.length === 0) throw error;
      // The code of what stopped it promises that nothing was changed, and something was.
      const far = `Stopped after ${done.length} of ${requests.length} files`;
      throw new ToolError(code === "aborted" ? code : "io", `${far}: ${message}`);
    }
  }
  return { ok: true, ...named(done), conflicts: [] };
}

async function bringBack(location: Location, request: Request, call: ToolCall): Promise<void> {
  const { content } = request;
  // Again, directly before the change: between the first look and this one somebody may have written.
  const verify = async () => {
    const found = await compare(request, call);
    if (found.state === "conflict") throw new ToolError("conflict", found.reason);
    return found.mode;
  };
  if (content !== null) {
    const before = location.stats;
    const mode = await verify();
    await replaceFile(location, call, {
      fill: (file) => file.writeFile(content, { signal: call.signal }),
      before,
      mode,
      verify: async () => void (await verify()),
    });
    return;
  }
  await verify();
  call.begin();
  await unlink(location.addressOf(location.name));
  await location.directory.sync().catch(() => undefined);
}

function named(requests: readonly Request[]): { restored: string[]; removed: string[] } {
  return {
    restored: requests.filter(({ sha256 }) => sha256 !== null).map(({ path }) => path),
    removed: requests.filter(({ sha256 }) => sha256 === null).map(({ path }) => path),
  };
}

// Content that does not fit into one frame, put together part by part before a restore uses it.
// Bounded: when there is no more room, what was begun first is forgotten.
const MAX_BYTES = 128 << 20;

const stages = new WeakMap<Workspace, Map<string, Buffer[]>>();

function stageContent(workspace: Workspace, id: string, part: Buffer): number {
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
function takeStaged(workspace: Workspace, id: string): Buffer {
  const parts = stages.get(workspace)?.get(id);
  if (!parts) throw new ToolError("invalid_request", `Nothing was staged as ${id}`);
  stages.get(workspace)?.delete(id);
  return Buffer.concat(parts);
}

function size(parts: readonly Buffer[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
