// How a host process ends, for tools, browsers and terminals alike. Callers are answered only when neither the host nor
// anything that it started is left (X4).
import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { killMarked } from "../processes/marked-processes.ts";
import { settlesWithin } from "../processes/settles-within.ts";
import { HOST_MARK, SANDBOX_MARK } from "../sandbox/environment.ts";

type Serving = {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable | null>;
  /** Of the host's processes, in their environment. */
  readonly mark: string;
  /** How long it may take to exit after it closed its output. */
  readonly graceMs: number;
  readonly take: (chunk: Buffer) => void | Promise<void>;
  /** The output has ended: nothing more can be asked. */
  readonly closed: () => void;
};

/** Reads what the host writes until its end. Settles when nothing of it is left; never rejects. */
export async function serveHost({ child, mark, graceMs, take, closed }: Serving): Promise<void> {
  const exited = Promise.withResolvers<void>();
  child.once("exit", () => exited.resolve());
  child.stdin.on("error", () => undefined); // EPIPE: its output ends too, and that is handled
  child.on("error", () => undefined);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) await take(chunk);
  } catch {
    // A broken pipe is the end like any other.
  }
  closed();
  if (graceMs === 0 || !(await settlesWithin(exited.promise, graceMs))) child.kill("SIGKILL");
  await exited.promise;
  for (const name of [SANDBOX_MARK, HOST_MARK]) {
    await killMarked({ name, value: mark }).catch(() => 0);
  }
}
