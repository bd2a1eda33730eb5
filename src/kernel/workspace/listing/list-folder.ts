// Lists the names in a folder, for the search of protected files. A folder that its owner may not list hides nothing
// from git or an editor, which know the names they look for; so it is made readable first.
import { accessSync, chmodSync, constants, lstatSync, readdirSync, type Dirent } from "node:fs";

const READABLE = constants.R_OK | constants.X_OK;

export function listFolder(path: string): Dirent[] {
  try {
    if (!canList(path)) chmodSync(path, (lstatSync(path).mode & 0o7777) | 0o700);
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile, or somebody else's
  }
}

function canList(path: string): boolean {
  try {
    accessSync(path, READABLE);
    return true;
  } catch {
    return false;
  }
}
