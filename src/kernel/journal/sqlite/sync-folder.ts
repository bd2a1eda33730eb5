// Syncs a folder: without it, a power loss may undo the creation, renaming or removal of a file.
import { open } from "node:fs/promises";

export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
