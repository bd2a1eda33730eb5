// Every file of a workspace at one moment, and what differs between two of them. Pure. What a manifest
// does not know (too large, too many) is never taken for created or deleted.
import type { FileChange, FileVersion } from "../../events/catalogue/files.ts";
import { sameVersion } from "./file-changes.ts";

/** sha256 null: there, but its content was not looked at. */
export type ManifestEntry = readonly [
  path: string,
  sha256: string | null,
  bytes: number,
  mode: number,
];
/** `complete`: what is not listed does not exist. Else that holds but for what is below `unseen`, if it is known. */
export type Manifest = {
  readonly complete: boolean;
  readonly unseen?: readonly string[] | undefined;
  readonly files: readonly ManifestEntry[];
};

export type Difference = {
  readonly changes: readonly FileChange[];
  /** Known before, and now to be looked at one by one. */
  readonly lookAt: readonly { readonly path: string; readonly before: FileVersion | null }[];
  /** Something changed of which it is not known what it was. */
  readonly doubtful: boolean;
};

export function versionIn([, sha256, bytes, mode]: ManifestEntry): FileVersion | null {
  return sha256 === null ? null : { sha256, bytes, mode };
}

export function compareManifests(before: Manifest, after: Manifest): Difference {
  const old = new Map(before.files.map((entry) => [entry[0], entry]));
  const now = new Map(after.files.map((entry) => [entry[0], entry]));
  const changes: FileChange[] = [];
  const lookAt: { path: string; before: FileVersion | null }[] = [];
  let doubtful = false;

  for (const path of [...new Set([...old.keys(), ...now.keys()])].toSorted()) {
    const was = old.get(path);
    const is = now.get(path);
    const wasVersion = was ? versionIn(was) : null;
    const isVersion = is ? versionIn(is) : null;
    const unknownBefore = was ? wasVersion === null : mayHide(before, path);
    const unknownAfter = is ? isVersion === null : mayHide(after, path);
    if (unknownBefore) doubtful ||= was?.[2] !== is?.[2] || was?.[3] !== is?.[3];
    else if (unknownAfter) lookAt.push({ path, before: wasVersion });
    else if (!sameVersion(wasVersion, isVersion)) {
      changes.push({ path, before: wasVersion, after: isVersion });
    }
  }
  return { changes, lookAt, doubtful };
}

/** One folder that cannot be read must not make everything doubtful that is made elsewhere. */
function mayHide({ complete, unseen }: Manifest, path: string): boolean {
  if (complete) return false;
  return unseen?.some((folder) => folder === "" || path.startsWith(`${folder}/`)) ?? true;
}

export function encodeManifest(manifest: Manifest): Buffer {
  return Buffer.from(JSON.stringify(manifest));
}

export function decodeManifest(text: string): Manifest {
  return JSON.parse(text) as Manifest; // written by encodeManifest, and named by its hash
}
