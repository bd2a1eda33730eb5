// A file that was made, renamed or removed is so after a power loss only once its folder is synced.
import { open } from "node:fs/promises";

export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
