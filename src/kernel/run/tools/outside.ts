// Where a path leads, by its spelling alone: below the workspace, or to a place outside of it that a
// person has to allow. Then a host of its own opens that one directory and nothing else.
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { LeftOut } from "../../workspace/listing/left-out.ts";
import type { HostGrants, ToolContext } from "./tool.ts";

export type Place = {
  /** Undefined: the workspace's own host. */
  readonly grants: HostGrants | undefined;
  /** As the host should see it. */
  readonly path: string;
  /** Relative to the workspace; absolute when outside. */
  readonly shown: string;
};

export function placeOfFile(workspace: string, path: string): Place {
  const target = resolve(workspace, path);
  if (isInside(workspace, target)) return insidePlace(workspace, target, path);
  return { grants: { root: dirname(target) }, path: basename(target) || ".", shown: target };
}

export function placeOfFolder(workspace: string, path: string): Place {
  const target = resolve(workspace, path);
  if (isInside(workspace, target)) return insidePlace(workspace, target, path);
  return { grants: { root: target }, path: ".", shown: target };
}

/** The name under which a file that the host calls `path` is remembered. */
export function shownAs({ grants }: Place, path: string): string {
  return grants?.root === undefined ? path : join(grants.root, path);
}

type LeavingOut = { more?: readonly string[]; unless?: (pattern: string) => boolean };

/** For the host that looks through `place`: what rules forbid there (kernel/workspace/listing/left-out.ts). */
export async function leftOutOf(
  { forbidden, log }: ToolContext,
  { grants }: Place,
  { more = [], unless = () => false }: LeavingOut = {},
): Promise<{ left_out?: LeftOut }> {
  const all = [...((await forbidden?.()) ?? []), ...more];
  const patterns = all.filter((pattern) => !unless(pattern));
  const { workspace } = log;
  if (patterns.length === 0) return {};
  return { left_out: { root: grants?.root ?? workspace, workspace, patterns } };
}

function isInside(workspace: string, target: string): boolean {
  const root = resolve(workspace);
  return target === root || target.startsWith(root.endsWith(sep) ? root : root + sep);
}

// The host is given what permissions were judged on: without "..", whatever links lie on the way.
function insidePlace(workspace: string, target: string, path: string): Place {
  const shown = relative(resolve(workspace), target) || ".";
  return { grants: undefined, path: path.endsWith(sep) ? shown + sep : shown, shown };
}
