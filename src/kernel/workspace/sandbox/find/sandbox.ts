// Whether a sandbox really works here: the kernel, a container or a security module may forbid an installed
// bubblewrap its namespaces. Checked once per process.
import { execFile } from "node:child_process";
import { accessSync, constants, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { allowedEnvironment } from "../environment.ts";
import { layoutSandbox } from "../sandbox-layout.ts";
import { sandboxArgv } from "../sandbox.ts";

const TIMEOUT_MS = 10_000;
const run = promisify(execFile);

export type FoundSandbox =
  | { readonly kind: "bubblewrap"; readonly path: string }
  | { readonly kind: "none"; readonly why: string; readonly fix: string };

let found: Promise<FoundSandbox> | undefined;

/** Never rejects. */
export async function findSandbox(): Promise<FoundSandbox> {
  return (found ??= probe(process.env["PATH"] ?? ""));
}

export async function probe(searchPath: string): Promise<FoundSandbox> {
  if (process.platform !== "linux") {
    const why = `bubblewrap needs Linux, and this is ${process.platform}`;
    return { kind: "none", why, fix: "Run Quarterdeck in a Linux machine or container." };
  }
  const path = executable("bwrap", searchPath);
  if (path === undefined) {
    const fix =
      "Install it: apt install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), " +
      "pacman -S bubblewrap (Arch), apk add bubblewrap (Alpine).";
    return { kind: "none", why: "bubblewrap is not installed", fix };
  }
  const workspace = mkdtempSync(join(realpathSync(tmpdir()), "quarterdeck-probe-"));
  try {
    const argv = sandboxArgv(layoutSandbox({ workspace, protect: [] }));
    const command = [process.execPath, "-e", "process.stdout.write('works')"];
    const options = { timeout: TIMEOUT_MS, env: allowedEnvironment(process.env) };
    const { stdout } = await run(path, [...argv, "--", ...command], options);
    if (stdout === "works") return { kind: "bubblewrap", path };
    return broken("it ran node, which said nothing");
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return broken((stderr?.trim() || message).split("\n")[0] ?? "");
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function broken(reason: string): FoundSandbox {
  const fix =
    "The system forbids it its namespaces. On Ubuntu 24.04: sysctl " +
    "kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap. In a container: " +
    "allow user namespaces (Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined).";
  return { kind: "none", why: `bubblewrap is installed but does not work here (${reason})`, fix };
}

function executable(name: string, searchPath: string): string | undefined {
  for (const directory of searchPath.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return undefined;
}
