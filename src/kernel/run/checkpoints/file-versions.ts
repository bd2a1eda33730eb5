// Files as the tool host sees them right now, and their contents in the blob store. Nothing here has
// an effect on files, so a host that dies meanwhile is a failure like any other.
import { createHash } from "node:crypto";
import type { BlobStore } from "../../blobs/blobs.ts";
import type { FileVersion } from "../../events/catalogue/files.ts";
import type { Manifest, ManifestEntry } from "./manifest.ts";
import { MAX_VERSIONS, type Versioned as HostVersioned } from "../../workspace/host/version.ts";
import type { ToolCallRequest } from "../../workspace/client/tool-host/client.ts";
import { shownAs, type Place } from "../tools/outside.ts";
import type { HostGrants, ToolContext } from "../tools/tool.ts";

export type FileAccess = Pick<ToolContext, "log" | "host" | "claimedUntil" | "signal">;
/** `path` relative to the workspace, links resolved; absolute when outside. */
export type Versioned = {
  readonly path: string;
  readonly place: Place;
  readonly version: FileVersion | null;
  readonly problem?: string;
};

/** The tool host could not say. Carries its code. */
export class HostRefused extends Error {
  override name = "HostRefused";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const SIDE_BY_SIDE = 8;
const MAX_KNOWN = 200_000;

export async function versionsOf(
  access: FileAccess,
  places: readonly Place[],
): Promise<readonly Versioned[]> {
  const groups = Map.groupBy(places, ({ grants }) => grants?.root);
  const found = new Map<Place, Versioned>(); // told in the order that was asked, not by group
  for (const group of groups.values()) {
    for (let at = 0; at < group.length; at += MAX_VERSIONS) {
      const part = group.slice(at, at + MAX_VERSIONS);
      const input = { paths: part.map(({ path }) => path) };
      const { versions } = await ask(access, { tool: "version", input, grants: part[0]?.grants });
      for (const [index, place] of part.entries())
        found.set(place, named(place, (versions as HostVersioned[])[index]));
    }
  }
  return places.map((place) => found.get(place) ?? named(place, undefined));
}

/** The file's version, with its content in the blob store when this returns. */
async function keepContent(access: FileAccess, place: Place): Promise<Versioned> {
  const { blobs } = access.log.journal;
  const blob = blobs.create();
  try {
    const { versions } = await ask(access, {
      tool: "version",
      input: { paths: [place.path], content: true },
      grants: place.grants,
      onOutput: ({ data }) => blob.write(data),
    });
    const found = named(place, (versions as HostVersioned[])[0]);
    if (!found.version) return found;
    const { sha256, bytes } = await blob.finish();
    remember(blobs, sha256);
    return { ...found, version: { ...found.version, sha256, bytes } };
  } finally {
    await blob.discard();
  }
}

/** Stores the contents that are not stored yet. What changed meanwhile has its newer version. */
export async function keepAll(
  access: FileAccess,
  files: readonly Versioned[],
): Promise<readonly Versioned[]> {
  const { blobs } = access.log.journal;
  const kept = [...files];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < files.length; index = next++) {
      const file = files[index];
      if (!file?.version || (await isStored(blobs, file.version.sha256))) continue;
      kept[index] = await keepContent(access, file.place);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: SIDE_BY_SIDE }, work));
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return kept;
}

export async function scanTree(access: FileAccess): Promise<Manifest & { truncated: boolean }> {
  const parts: Buffer[] = [];
  const onOutput = ({ data }: { data: Buffer }) => void parts.push(data);
  const result = await ask(access, { tool: "tree", input: {}, grants: undefined, onOutput });
  const lines = Buffer.concat(parts).toString().split("\n").slice(0, -1);
  const files = lines.map((line) => JSON.parse(line) as ManifestEntry);
  const [complete, truncated] = [result["complete"] === true, result["truncated"] === true];
  return { complete, truncated, files, unseen: result["unseen"] as string[] | undefined };
}

export async function storeBlob(blobs: BlobStore, content: Buffer): Promise<string> {
  const known = createHash("sha256").update(content).digest("hex");
  if (await isStored(blobs, known)) return known;
  const blob = blobs.create();
  try {
    await blob.write(content);
    const { sha256 } = await blob.finish();
    remember(blobs, sha256);
    return sha256;
  } finally {
    await blob.discard();
  }
}

type Question = {
  readonly tool: ToolCallRequest["tool"];
  readonly input: unknown;
  readonly grants: HostGrants | undefined;
  readonly onOutput?: ToolCallRequest["onOutput"];
};

export async function ask(
  { log, host, claimedUntil, signal }: FileAccess,
  { tool, input, grants, onOutput }: Question,
): Promise<Record<string, unknown>> {
  const answer = await host(grants).call({
    tool,
    input,
    marker: log.claim.runId,
    notAfter: await claimedUntil(),
    signal,
    ...(onOutput && { onOutput }),
  });
  if (answer.ok) return answer.result;
  signal.throwIfAborted();
  throw new HostRefused(answer.error.code, answer.error.message);
}

function named(place: Place, found: HostVersioned | undefined): Versioned {
  if (!found) throw new HostRefused("io", "The tool host left out a file");
  const { path, version, problem } = found;
  return { path: shownAs(place, path), place, version, ...(problem !== undefined && { problem }) };
}

// Blobs are never deleted, so having seen one once saves asking the disk for every file of every scan.
const stored = new WeakMap<BlobStore, Set<string>>();

async function isStored(blobs: BlobStore, sha256: string): Promise<boolean> {
  if (stored.get(blobs)?.has(sha256)) return true;
  if ((await blobs.size(sha256)) === undefined) return false;
  remember(blobs, sha256);
  return true;
}

function remember(blobs: BlobStore, sha256: string): void {
  const known = stored.get(blobs) ?? new Set<string>();
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(sha256);
  stored.set(blobs, known);
}
