// Serialises changes of a file: calls run concurrently, and two edits that both read the old content would lose one
// of them.
import { locate, type Location } from "./paths.ts";
import type { Workspace } from "../host/workspace.ts";

const tails = new Map<string, Promise<unknown>>();

/** Gives `work` the place as it is once every earlier change of it has ended. */
export async function withFileLocked<Value>(
  {
    workspace,
    path,
    parents,
    refuse,
  }: {
    workspace: Workspace;
    path: string;
    parents: "create" | "expect";
    /** Throws when the file that was found, links resolved, must not be changed. */
    refuse?: (path: string) => void;
  },
  work: (location: Location) => Promise<Value>,
): Promise<Value> {
  const realPath = await realPathOf(workspace, path, parents);
  const before = tails.get(realPath) ?? Promise.resolve();
  const mine = before.then(async () => {
    await using location = await locate(workspace, path, parents);
    refuse?.(location.path);
    return await work(location);
  });
  const tail = mine.catch(() => undefined);
  tails.set(realPath, tail);
  try {
    return await mine;
  } finally {
    if (tails.get(realPath) === tail) tails.delete(realPath);
  }
}

async function realPathOf(
  workspace: Workspace,
  path: string,
  parents: "create" | "expect",
): Promise<string> {
  await using location = await locate(workspace, path, parents);
  return location.realPath;
}
