// Looks at this machine for what a sandbox must show: which system directories there are, what among
// them only root may read, where node and this program lie, and who the workspace belongs to.
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { isWithin, type SandboxLayout, type SystemPlace } from "./sandbox.ts";
import { ToolError } from "./tool-error.ts";
import { DEFAULT_LIMITS } from "./watchdog.ts";

const SYSTEM =
  "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt " + "/nix /gnu /snap /run/current-system";
const RESOLVER = "/etc/resolv.conf";
const MAX_HIDDEN = 300;

export type SandboxRequest = {
  readonly workspace: string;
  /** Real paths of directories that must not be seen at all. */
  readonly protect: readonly string[];
  readonly network?: boolean | undefined;
  readonly readable?: readonly string[] | undefined;
  readonly memoryMb?: number | undefined;
  readonly reader?: boolean | undefined;
};

/** Throws when the workspace does not exist, or lies inside a protected directory. */
export function layoutSandbox(request: SandboxRequest): SandboxLayout {
  const { protect, network = false, memoryMb = DEFAULT_LIMITS.memoryMb } = request;
  const workspace = realWorkspace(request);
  const system = (systemPlaces ??= surveySystem());
  const readable = [...new Set([...ownPlaces(), ...(request.readable ?? []).flatMap(real)])];
  if (network) readable.push(...outsideOf(system, real(RESOLVER)));
  const given = resolve(request.workspace);
  const covered = [...system.map(({ path }) => path), ...readable];
  const alias =
    given === workspace || covered.some((path) => isWithin(given, path)) ? {} : { alias: given };
  return {
    ...alias,
    workspace,
    system,
    readable,
    protect,
    network,
    memoryMb,
    writable: request.reader !== true,
    home: homeDirectory(),
    user: process.getuid?.() === 0 ? "root" : "other",
    othersFiles: statSync(workspace).uid !== 0,
  };
}

function realWorkspace({ workspace, protect }: SandboxRequest): string {
  const [path] = real(workspace);
  if (path === undefined) throw new ToolError("not_found", `No workspace directory ${workspace}`);
  if (protect.some((place) => isWithin(path, place))) {
    throw new ToolError("protected", "Quarterdeck's own data directory is not for tools");
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

/** Node, the folder of this program (source or built), and the packages it was installed with. */
function ownPlaces(): string[] {
  let code = import.meta.dirname;
  while (basename(code) !== "src" && basename(code) !== "dist") {
    if (code === dirname(code)) throw new Error(`${import.meta.dirname} is not below src or dist`);
    code = dirname(code);
  }
  const root = dirname(code);
  const packages = [join(root, "node_modules"), dirname(root)].filter(
    (path) => basename(path) === "node_modules",
  );
  return [process.execPath, code, join(root, "package.json"), ...packages].flatMap(real);
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
