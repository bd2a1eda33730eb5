// Inspects this machine for what a sandbox must show: existing system directories, what only root may read in them,
// and the owner of the workspace.
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { HostRole } from "../host/tools.ts";
import { programPaths, programPlaces } from "../host/program-places.ts";
import { isWithin, type SandboxLayout, type SystemPlace } from "./sandbox.ts";
import { ToolError } from "../host/tool-error.ts";
import { DEFAULT_LIMITS } from "../host/watchdog.ts";

const SYSTEM =
  "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt " + "/nix /gnu /snap /run/current-system";
const RESOLVER = "/etc/resolv.conf";
const MAX_HIDDEN = 300;
const MAX_FIXED = 1_300; // of each kind: bubblewrap takes 9,000 arguments, and three for each

/** Absolute paths. `paths` are read-only, `repositories` only keep their name, `links` are not there. */
export type FixedFiles = {
  readonly paths: readonly string[];
  readonly repositories: readonly string[];
  readonly links: readonly string[];
};

export type SandboxRequest = {
  readonly workspace: string;
  /** Real paths of directories that must not be seen at all. */
  readonly protect: readonly string[];
  readonly cache?: string | undefined;
  readonly network?: boolean | undefined;
  readonly readable?: readonly string[] | undefined;
  readonly memoryMb?: number | undefined;
  readonly role?: HostRole | undefined;
  readonly fixed?: FixedFiles | undefined;
  readonly hidden?: readonly string[] | undefined;
};

/** Throws when the workspace does not exist, or lies inside a protected directory. */
export function layoutSandbox(request: SandboxRequest): SandboxLayout {
  const { protect, network = false, memoryMb = DEFAULT_LIMITS.memoryMb } = request;
  const workspace = realWorkspace(request);
  const system = (systemPlaces ??= surveySystem());
  const readable = [
    ...new Set([...programPlaces().needed, ...(request.readable ?? []).flatMap(real)]),
  ];
  if (network) readable.push(...outsideOf(system, real(RESOLVER)));
  const given = resolve(request.workspace);
  const covered = [...system.map(({ path }) => path), ...readable];
  const alias =
    given === workspace || covered.some((path) => isWithin(given, path)) ? {} : { alias: given };
  return {
    ...alias,
    ...(request.cache !== undefined && { cache: request.cache }),
    workspace,
    system,
    readable,
    readOnly: [...programPaths(), ...realIn(workspace, request.fixed?.paths ?? [])],
    pinned: [
      ...[...programPaths(), ...protect].flatMap((path) => between(workspace, path)),
      ...realIn(workspace, request.fixed?.repositories ?? []),
    ],
    hidden: [...(request.hidden ?? []), ...(request.fixed?.links ?? [])].flatMap(hiddenPlace),
    protect,
    network,
    memoryMb,
    writable: request.role !== "reader",
    home: homeDirectory(),
    user: process.getuid?.() === 0 ? "root" : "other",
    othersFiles: statSync(workspace).uid !== 0,
  };
}

function realWorkspace({ workspace, protect }: SandboxRequest): string {
  const [path] = real(workspace);
  if (path === undefined) throw new ToolError("not_found", `No workspace directory ${workspace}`);
  if ([...protect, ...programPaths()].some((place) => isWithin(path, place))) {
    throw new ToolError("protected", "Quarterdeck's own files are not for tools");
  }
  return path;
}

let systemPlaces: readonly SystemPlace[] | undefined;

function surveySystem(): SystemPlace[] {
  const present = SYSTEM.split(" ").flatMap((path): SystemPlace[] => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return [];
    if (stats.isSymbolicLink()) return [{ path, kind: "link", target: readlinkSync(path) }];
    return [{ path, kind: "read" }];
  });
  // For root the mode of a file says nothing: what is not for everyone is hidden from commands.
  return process.getuid?.() === 0 ? [...present, ...notForEveryone("/etc")] : present;
}

function notForEveryone(directory: string, found: SystemPlace[] = []): SystemPlace[] {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (found.length >= MAX_HIDDEN || !stats || stats.isSymbolicLink()) continue;
    if (stats.isDirectory()) {
      if ((stats.mode & 0o005) !== 0o005) found.push({ path, kind: "hide-directory" });
      else notForEveryone(path, found);
    } else if ((stats.mode & 0o004) === 0) found.push({ path, kind: "hide-file" });
  }
  return found;
}

/**
 * Directories below `top` on the way to `path`. A mount point cannot be renamed, but a directory above it can:
 * then another could take its name, and the next start would find that one.
 */
function between(top: string, path: string): string[] {
  const above = dirname(path);
  return above === top || !isWithin(above, top) ? [] : [...between(top, above), above];
}

/** A link cannot be a mount point; what it leads to can. */
function realIn(workspace: string, paths: readonly string[]): string[] {
  const inside = paths
    .flatMap(real)
    .filter((path) => path !== workspace && isWithin(path, workspace));
  const unique = [...new Set(inside)];
  if (unique.length <= MAX_FIXED) return unique;
  throw new ToolError(
    "protected",
    `${workspace} has more protected files than a sandbox can hold.`,
  );
}

function hiddenPlace(path: string): SystemPlace[] {
  return real(path).map((place) => ({
    path: place,
    kind: statSync(place).isDirectory() ? "hide-directory" : "hide-file",
  }));
}

function outsideOf(system: readonly SystemPlace[], paths: readonly string[]): string[] {
  return paths.filter((path) => !system.some((place) => isWithin(path, place.path)));
}

function homeDirectory(): string | undefined {
  const home = resolve(homedir());
  return home === "/" || isWithin("/usr", home) ? undefined : home;
}

function real(path: string): string[] {
  return existsSync(path) ? [realpathSync(path)] : [];
}
