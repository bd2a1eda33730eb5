// Which files a rollback would change, as far as the journal knows when the rollback is admitted.
import { ApiError } from "../../events/errors.ts";
import type { PayloadOf } from "../../events/events.ts";
import type { Tx } from "../transaction.ts";
import { json, rowsOf, text } from "../rows.ts";

export const MAX_PATHS = 1_000;

/** The scope: these runs (subagents included), one call's checkpoint, or a session after a point. */
export type FileScope =
  | { readonly runIds: readonly string[]; readonly checkpointId?: string }
  | { readonly sessionId: string; readonly after: number; readonly checkpointId?: string };

export type Affected = { readonly paths: readonly string[]; readonly workspace: string };

const BELOW = `
  WITH RECURSIVE below (log_key, log_id) AS (
    SELECT log_key, log_id FROM logs
      WHERE kind = 'run' AND log_id IN (SELECT value FROM json_each(?)) UNION
    SELECT l.log_key, l.log_id FROM below b JOIN logs l ON l.parent_run_id = b.log_id)`;
const CHANGED = "SELECT c.body, l.workspace FROM changes c JOIN logs l USING (log_key)";
const BY_RUNS = `${BELOW} ${CHANGED} WHERE c.log_key IN (SELECT log_key FROM below)`;
const BY_SESSION = `${CHANGED}
  WHERE c.session_key = (SELECT session_key FROM sessions WHERE session_id = ?) AND c.session_seq > ?`;

const GOING = `${BELOW} SELECT 1 FROM logs l JOIN below USING (log_key)
  WHERE l.ended_at IS NULL AND l.quarantined IS NULL LIMIT 1`;

/** Whether one of these runs or their subagents may still change files: a stopped run ends a little later. */
export async function stillGoing(tx: Tx, runIds: readonly string[]): Promise<boolean> {
  return (await tx.get(GOING, JSON.stringify(runIds))) !== undefined;
}

const CHANGE = rowsOf("changes", { body: json<PayloadOf<"files.changed">>(), workspace: text });

/** Undefined if there is nothing to roll back. Refuses a rollback that is too large. */
export async function affectedFiles(
  tx: Tx,
  scope: FileScope,
  only?: readonly string[],
): Promise<Affected | undefined> {
  const rows =
    "runIds" in scope
      ? await CHANGE.all(tx, BY_RUNS, JSON.stringify(scope.runIds))
      : await CHANGE.all(tx, BY_SESSION, scope.sessionId, scope.after);
  const wanted = only && new Set(only);
  const found = new Map<string, Found>(); // by path and workspace
  for (const { body, workspace } of rows) {
    const { checkpoint_id, changes } = body;
    if (scope.checkpointId !== undefined && checkpoint_id !== scope.checkpointId) continue;
    for (const { path } of changes) {
      if (!wanted || wanted.has(path)) {
        found.set(JSON.stringify([path, workspace]), { path, workspace });
      }
    }
  }
  const files = [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return files.length === 0 ? undefined : bounded(files);
}

type Found = { readonly path: string; readonly workspace: string };

function bounded(found: readonly Found[]): Affected {
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
