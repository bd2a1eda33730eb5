// Which files a rollback would touch, as the journal knows it when the rollback is admitted.
import { ApiError } from "../protocol/errors.ts";
import type { Tx } from "./transaction.ts";

export const MAX_PATHS = 1_000;

/** Of these runs (subagents included), of one call's checkpoint, or of a session after a point. */
export type FileScope =
  | { readonly runIds: readonly string[]; readonly checkpointId?: string }
  | { readonly sessionId: string; readonly after: number; readonly checkpointId?: string };

export type Affected = { readonly paths: readonly string[]; readonly workspace: string };

const BELOW = `
  WITH RECURSIVE below (log_key, log_id) AS (
    SELECT log_key, log_id FROM logs
      WHERE kind = 'run' AND log_id IN (SELECT value FROM json_each(?)) UNION
    SELECT l.log_key, l.log_id FROM below b JOIN logs l ON l.parent_run_id = b.log_id)`;
const PATHS = `
  SELECT DISTINCT json_extract(f.value, '$.path') AS path, l.workspace
  FROM changes c JOIN logs l USING (log_key), json_each(c.body, '$.changes') f`;
const ORDER = "ORDER BY path";

/** Undefined when there is nothing to roll back. Refuses what one rollback cannot do. */
export async function affectedFiles(
  tx: Tx,
  scope: FileScope,
  only?: readonly string[],
): Promise<Affected | undefined> {
  const checkpoint = scope.checkpointId ?? null;
  const ofCall = "(?2 IS NULL OR json_extract(c.body, '$.checkpoint_id') = ?2)";
  const rows =
    "runIds" in scope
      ? await tx.all(
          `${BELOW.replace("?", "?1")} ${PATHS} WHERE c.log_key IN (SELECT log_key FROM below)
           AND ${ofCall} ${ORDER}`,
          JSON.stringify(scope.runIds),
          checkpoint,
        )
      : await tx.all(
          `${PATHS} WHERE c.session_key = (SELECT session_key FROM sessions WHERE session_id = ?1)
           AND ${ofCall} AND c.session_seq > ?3 ${ORDER}`,
          scope.sessionId,
          checkpoint,
          scope.after,
        );
  const wanted = only && new Set(only);
  const found = rows.filter(({ path }) => !wanted || wanted.has(path as string));
  return found.length === 0 ? undefined : bounded(found as { path: string; workspace: string }[]);
}

function bounded(found: readonly { path: string; workspace: string }[]): Affected {
  const workspaces = [...new Set(found.map(({ workspace }) => workspace))];
  const [workspace = ""] = workspaces;
  if (workspaces.length > 1) {
    const message = "The files are in several workspaces: roll back one run at a time.";
    throw new ApiError("invalid_request", message, { workspaces });
  }
  if (found.length > MAX_PATHS) {
    const message = `These are ${found.length} files; at most ${MAX_PATHS} at once: name some in \`paths\`.`;
    throw new ApiError("invalid_request", message, { files: found.length });
  }
  return { paths: found.map(({ path }) => path), workspace };
}
