// Where a browser that is started writes: a directory of its own, named after the runner that made it, so that what is
// left when runner and host are killed together is found and removed by the next one.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = /^qd-browser-(?<pid>\d{1,9})-/;
const ALL = { recursive: true, force: true, maxRetries: 5 } as const;

export async function makePlace(): Promise<string> {
  await sweep();
  return mkdtemp(join(tmpdir(), `qd-browser-${process.pid}-`)); // for its owner alone
}

export async function removePlace(directory: string): Promise<void> {
  await rm(directory, ALL).catch(() => undefined);
}

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = Number(NAME.exec(name)?.groups?.["pid"] ?? 0);
    if (pid > 0 && !isThere(pid)) await removePlace(join(tmpdir(), name));
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
