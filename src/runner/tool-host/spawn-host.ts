// Starts the tool host as a child of the runner. It is not detached, and its standard input is a
// pipe only the runner holds: when the runner dies, however it dies, the host sees the end of it.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { allowedEnvironment } from "./environment.ts";
import { formatProtected } from "./workspace.ts";

export type HostProcess = ChildProcessByStdio<Writable, Readable, null>;

export type HostOptions = {
  readonly workspace: string;
  /** Directories no tool may touch: the journal's home. They must exist. */
  readonly protect: readonly string[];
  /** Carried by everything the host starts, so that it can be found after the host died. */
  readonly mark: string;
};

/** Rejects when there is no process. */
export async function spawnHost({ workspace, protect, mark }: HostOptions): Promise<HostProcess> {
  const places = await Promise.all(protect.map(formatProtected));
  const program = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
  const args = [program, "--workspace", workspace, "--mark", mark];
  for (const place of places) args.push("--protect", place);
  const child = spawn(process.execPath, args, {
    cwd: "/",
    env: allowedEnvironment(process.env),
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child, "spawn");
  return child;
}
