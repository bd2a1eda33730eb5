// What a run is to work with has to be there: a name that is misspelt is said at once, not by a run that fails.
import { statSync } from "node:fs";
import { ProfileError } from "../home/profile/error.ts";
import { ApiError } from "../events/errors.ts";
import { localPath } from "../events/workspace-place.ts";
import type { AppDeps } from "./app.ts";

const UNKNOWN: ReadonlySet<string> = new Set(["unknown_profile", "invalid_name"]);

/** What is wrong inside a profile, the run says (R15). */
export async function requireProfile(
  { homeFiles }: Pick<AppDeps, "homeFiles">,
  name: string | undefined,
): Promise<void> {
  if (name === undefined) return;
  try {
    await homeFiles?.profiles.get(name);
  } catch (error) {
    if (!(error instanceof ProfileError) || !UNKNOWN.has(error.code)) return;
    const message = `profile: ${error.short}`;
    throw new ApiError("invalid_request", message, { reason: "unknown_profile" });
  }
}

/** Only where the runners are on this machine: elsewhere a folder may be theirs alone. */
export function requireFolder(
  { journal, volumes = {} }: Pick<AppDeps, "journal" | "volumes">,
  workspace: string | undefined,
): void {
  if (workspace === undefined || journal.storage().backend !== "sqlite") return;
  const path = localPath(workspace, volumes);
  if (path === undefined || isFolder(path)) return;
  const message = `workspace: there is no folder ${workspace}.`;
  throw new ApiError("invalid_request", message, { reason: "no_workspace" });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
