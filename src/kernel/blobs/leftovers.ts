// Removes what a killed process left in the blob store. The file's name identifies its process, so the next start removes
// only files whose process is dead.
import { hash, randomUUID } from "node:crypto";
import { readdir, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive, startedAt } from "../journal/liveness.ts";

const NAME = /^(?:([0-9a-f]{8})\.(\d+)\.(\d*)\.)?[0-9a-f-]{36}\.tmp$/;
/** For a file of another machine or an earlier release, only its age decides. */
const OLD_MS = 86_400_000;

const machine = () => hash("sha256", hostname()).slice(0, 8);

export function temporaryName(): string {
  return `${machine()}.${process.pid}.${startedAt(process.pid)}.${randomUUID()}.tmp`;
}

export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (NAME.test(name) && (await isLeftOver(name, path)))
      await unlink(path).catch(() => undefined);
  }
}

async function isLeftOver(name: string, path: string): Promise<boolean> {
  const [, where, pid, started = ""] = NAME.exec(name) ?? [];
  if (where === machine())
    return isAlive({ pid: Number(pid), started, host: hostname() }) === false;
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > OLD_MS;
}
