// Builds bubblewrap's arguments: what exists in the sandbox and what does not. The order matters: a later mount hides
// an earlier one, so the workspace comes after the empty directories around it, and Quarterdeck's own data is hidden
// last.

export type SystemPlace =
  | { readonly path: string; readonly kind: "read" }
  | { readonly path: string; readonly kind: "link"; readonly target: string }
  | { readonly path: string; readonly kind: "hide-file" | "hide-directory" };

export type SandboxLayout = {
  /** Real paths throughout. */
  readonly workspace: string;
  readonly writable: boolean;
  /** Another spelling of the workspace that must lead to it in there too. */
  readonly alias?: string;
  readonly system: readonly SystemPlace[];
  /** Readable beside the system: node, this program, and what a person allowed. */
  readonly readable: readonly string[];
  /** The person's home directory: empty in there, and writable. */
  readonly home: string | undefined;
  /** Visible but never writable, wherever it lies: the program itself, protected files of the workspace. */
  readonly readOnly: readonly string[];
  /** Directories with writing in them that must not be renamed. */
  readonly pinned: readonly string[];
  /** What rules deny: not there for commands. */
  readonly hidden: readonly SystemPlace[];
  readonly protect: readonly string[];
  /** A writable directory that is shown as CACHE, for package managers. */
  readonly cache?: string;
  readonly network: boolean;
  readonly user: "root" | "other";
  /** Root without capabilities cannot write to other people's files; a workspace may consist of them. */
  readonly othersFiles: boolean;
  readonly memoryMb: number;
};

const TMP = "/tmp";
export const CACHE = "/var/cache/quarterdeck";
const VAR_TMP = ["--dir", "/var", "--symlink", "../tmp", "/var/tmp"];
const NAMESPACES = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
const WITHOUT_RIGHTS = ["--die-with-parent", "--new-session", "--cap-drop", "ALL"];
const SETTINGS = ["/proc/sys", "/proc/sysrq-trigger", "/proc/fs", "/proc/acpi", "/proc/scsi"];
const FILE_RIGHTS = ["CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN"];

export function sandboxArgv(layout: SandboxLayout): string[] {
  const { workspace, network, user, othersFiles } = layout;
  return [
    ...NAMESPACES,
    ...(network ? [] : ["--unshare-net"]),
    ...(user === "root" ? [] : ["--unshare-user"]),
    ...WITHOUT_RIGHTS,
    ...(user === "root" && othersFiles ? FILE_RIGHTS.flatMap((cap) => ["--cap-add", cap]) : []),
    // A workspace may lie below /dev/shm, which is made anew here: what comes later hides what came before.
    ...(workspace === "/"
      ? [bind(layout), "/", "/", ...devices(layout)]
      : [...devices(layout), ...places(layout)]),
    ...(layout.writable ? fixed(layout) : []),
    ...processes(),
    ...layout.hidden.filter(({ path }) => isVisible(path, layout)).flatMap(systemMount),
    ...layout.protect.filter((path) => isVisible(path, layout)).flatMap(emptied),
    ...(workspace === "/" ? [] : ["--remount-ro", "/"]),
    "--chdir",
    "/",
  ];
}

function places(layout: SandboxLayout): string[] {
  const { workspace, alias, system, readable, home, memoryMb } = layout;
  return [
    ...system.flatMap(systemMount),
    ...tmpfs(TMP, { mode: "1777", mb: memoryMb / 2 }),
    ...VAR_TMP,
    ...(home === undefined ? [] : tmpfs(home, { mode: "0700", mb: memoryMb / 4 })),
    ...readable.flatMap((path) => ["--ro-bind", path, path]),
    bind(layout),
    workspace,
    workspace,
    ...(layout.cache === undefined ? [] : ["--bind", layout.cache, CACHE]),
    ...(alias === undefined ? [] : ["--symlink", workspace, alias]),
  ];
}

/** Outer directories first: a mount hides those below it that were made before. */
function fixed({ workspace, readOnly, pinned }: SandboxLayout): string[] {
  const inside = readOnly.filter((path) => isWithin(path, workspace));
  return [
    ...[...new Set(pinned)].toSorted().flatMap((path) => ["--bind-try", path, path]),
    ...inside.toSorted().flatMap((path) => ["--ro-bind-try", path, path]),
  ];
}

function bind({ writable }: SandboxLayout): string {
  return writable ? "--bind" : "--ro-bind";
}

function systemMount(place: SystemPlace): string[] {
  switch (place.kind) {
    case "read":
      return ["--ro-bind", place.path, place.path];
    case "link":
      return ["--symlink", place.target, place.path];
    case "hide-file":
      return ["--ro-bind", "/dev/null", place.path]; // a device where none is allowed: unreadable
    case "hide-directory":
      return emptied(place.path);
    default:
      return place satisfies never;
  }
}

/** What could be written in /dev would be memory. */
function devices({ memoryMb }: SandboxLayout): string[] {
  const shared = tmpfs("/dev/shm", { mode: "1777", mb: memoryMb / 8 });
  return ["--dev", "/dev", ...shared, "--remount-ro", "/dev"];
}

/** A /proc of its own shows its own processes only. Nothing may lie on it: the real one is a way out. */
function processes(): string[] {
  // Root may write the kernel's settings even without a capability (core_pattern: a way out).
  const settings = SETTINGS.flatMap((path) => ["--ro-bind-try", path, path]);
  return ["--proc", "/proc", ...settings];
}

function tmpfs(path: string, { mode, mb }: { mode: string; mb: number }): string[] {
  const bytes = Math.max(1, Math.round(mb)) * 1_048_576;
  return ["--perms", mode, "--size", String(bytes), "--tmpfs", path];
}

function emptied(path: string): string[] {
  return ["--perms", "0555", "--tmpfs", path, "--remount-ro", path];
}

function isVisible(path: string, { workspace, system, readable }: SandboxLayout): boolean {
  const shown = system.flatMap((place) => (place.kind === "read" ? [place.path] : []));
  return [workspace, ...shown, ...readable].some((place) => isWithin(path, place));
}

/** Whether `path` is `directory` or lies below it. Both absolute and real. */
export function isWithin(path: string, directory: string): boolean {
  return (
    path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`)
  );
}
