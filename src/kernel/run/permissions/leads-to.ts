// Where a path leads when a program opens it. By its spelling it may lie in the workspace and be a link
// out of it, and `link/..` is not the folder that the link is in.
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Of an absolute path, not normalised. What is not there yet would be made there; undefined: nobody can tell. */
export function leadsTo(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    if (path === "/" || isLink(path)) return undefined; // a link to what is not there could make it
    const above = leadsTo(dirname(path));
    return above === undefined ? undefined : join(above, basename(path));
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
