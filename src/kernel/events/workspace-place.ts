// Where a workspace is: `volume:/path` on a volume that machines mount where they like, or a plain path, which
// is then the same on every machine that may run it.
import { own } from "./own.ts";

export type WorkspacePlace = { readonly volume: string; readonly path: string };
/** Where this machine has each volume: an absolute path by name. */
export type Volumes = Readonly<Record<string, string>>;

const NAMED = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}):(\/.*)$/s;

export function workspacePlace(workspace: string): WorkspacePlace {
  const [, volume = "", path = workspace] = NAMED.exec(workspace) ?? [];
  return { volume, path };
}

/** The one spelling of a place on a volume, or undefined when it could lead out of it. Plain paths stay as given. */
export function spelledPlace(workspace: string): string | undefined {
  const { volume, path } = workspacePlace(workspace);
  if (volume === "") return workspace;
  const names = namesOf(path);
  return names.includes("..") ? undefined : `${volume}:/${names.join("/")}`;
}

/** Where it is on a machine with these volumes; undefined: the machine does not reach it. */
export function localPath(workspace: string, volumes: Volumes): string | undefined {
  const { volume } = workspacePlace(workspace);
  if (volume === "") return workspace;
  const root = own(volumes, volume);
  const spelled = spelledPlace(workspace);
  if (root === undefined || spelled === undefined) return undefined;
  return `/${[...namesOf(root), ...namesOf(workspacePlace(spelled).path)].join("/")}`;
}

/** A path of this machine as every machine with its volume knows it: by the innermost volume that it is on. */
export function onVolume(path: string, volumes: Volumes): string {
  if (!path.startsWith("/")) return path;
  const names = normalised(path);
  const mounts = Object.entries(volumes)
    .map(([volume, root]) => ({ volume, root: namesOf(root) }))
    .filter(({ root }) => root.every((name, at) => name === names[at]))
    .toSorted((one, other) => other.root.length - one.root.length);
  const [mount] = mounts;
  return mount ? `${mount.volume}:/${names.slice(mount.root.length).join("/")}` : path;
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** As the machine itself takes a path with “..” in it. */
function normalised(path: string): string[] {
  const names: string[] = [];
  for (const name of namesOf(path)) {
    if (name === "..") names.pop();
    else names.push(name);
  }
  return names;
}
