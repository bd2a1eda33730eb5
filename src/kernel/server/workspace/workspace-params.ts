// Refuses absolute paths in requests about a workspace, whichever window they come from.
import { isAbsolute } from "node:path";
import { ApiError } from "../../events/errors.ts";

/** The host would follow an absolute path into the workspace; a client has no business to know one. */
export function below(path: string): string {
  if (!isAbsolute(path)) return path;
  const reason = "outside_workspace";
  throw new ApiError("forbidden", "A path must be relative to the workspace.", { reason });
}
