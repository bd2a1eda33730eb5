// Takes back what tools did to files: of runs, of a session, or of one call. A person's command,
// never a model's. Refuses as a whole when anything was changed by somebody else; is itself
// checkpointed, so it can be taken back in turn.
import { resolve } from "node:path";
import { z } from "zod";
import { netChanges, selectChanges, type NetChange } from "../checkpoints/file-changes.ts";
import { HostRefused } from "../checkpoints/file-versions.ts";
import { previewRestore, restoreFiles, type Restored } from "../checkpoints/restore-files.ts";
import { DID_NOT_HAPPEN } from "./files/check.ts";
import { defineTool, failure, OutcomeUnknown, type ToolContext, type ToolResult } from "./tool.ts";

const MAX_LISTED = 500;
const MAX_CHARACTERS = 131_072; // of paths: a checkpoint is one event

/** As `kernel/journal/admit/file-commands.ts` admits it. Neither runs nor a session: the session it runs in. */
const RollbackInput = z.object({
  run_id: z.string().optional(),
  run_ids: z.array(z.string()).optional(),
  session_id: z.string().optional(),
  after_session_seq: z.int().optional(),
  checkpoint_id: z.string().optional().describe("Only what this one call did"),
  paths: z.array(z.string()).optional().describe("Only these files"),
  preview: z.boolean().optional(),
});
type RollbackInput = z.infer<typeof RollbackInput>;

export const rollbackTool = defineTool({
  name: "rollback",
  description: "Take back what tools did to files.",
  input: RollbackInput,
  risk: "write",
  replay: "ask",
  inOrder: true,
  internal: true,
  label: ({ preview, paths, run_id, checkpoint_id }) =>
    `${preview ? "Preview: roll back" : "Roll back"} ${
      paths ? files(paths.length) : (run_id ?? checkpoint_id ?? "the session")
    }`,
  // The very files: a look at the workspace knows none outside, none that is large or in node_modules.
  touches: async (input, context) => {
    if (input.preview) return [];
    const touched = (await planOf(input, context)).map(({ path, workspace }) =>
      workspace === context.log.workspace ? path : resolve(workspace, path),
    );
    const characters = touched.reduce((sum, path) => sum + path.length, 0);
    const fits = touched.length <= MAX_LISTED && characters <= MAX_CHARACTERS;
    return fits ? touched : "workspace";
  },
  execute: async (input, context) => {
    const plan = await planOf(input, context);
    const { preview = false } = input;
    const found = await asked(() => previewRestore(context, plan));
    const possible = found.conflicts.length === 0;
    if (preview) return { ok: true, result: { ok: possible, preview, ...bounded(found) } };
    if (!possible) return refused(found, { restored: [], removed: [] });
    const done = await asked(() => restoreFiles(context, plan));
    if (done.conflicts.length > 0) return refused(done, done);
    return { ok: true, result: { ok: true, preview, ...bounded(done) } };
  },
  /** Going on where it was cut is harmless: files that are back already are left alone. */
  check: async (input, context) => {
    const found = await asked(() =>
      planOf(input, context).then((plan) => previewRestore(context, plan)),
    );
    if (found.conflicts.length > 0) return undefined;
    if (found.restored.length + found.removed.length > 0) {
      return failure(DID_NOT_HAPPEN, "Some files are not back yet.");
    }
    return { ok: true, result: { ok: true, preview: false, checked: true, ...bounded(found) } };
  },
});

async function planOf(input: RollbackInput, { log }: ToolContext): Promise<readonly NetChange[]> {
  const { run_id, run_ids, session_id, after_session_seq, checkpoint_id, paths } = input;
  const runIds = run_ids ?? (run_id === undefined ? [] : [run_id]);
  const of =
    runIds.length > 0
      ? runIds.map((runId) => ({ runId }))
      : [{ sessionId: session_id ?? log.claim.sessionId }];
  const found = (await Promise.all(of.map((each) => log.journal.reads.changes(each)))).flat();
  // A run and its subagent may both have been named: each change counts once.
  const once = new Map(found.map((each) => [`${each.run_id} ${each.seq} ${each.path}`, each]));
  const records = [...once.values()].toSorted((a, b) => a.session_seq - b.session_seq);
  const selection = {
    ...(checkpoint_id !== undefined && { checkpointId: checkpoint_id }),
    ...(after_session_seq !== undefined && { afterSessionSeq: after_session_seq }),
    ...(paths && { paths }),
  };
  const chosen = selectChanges(records, selection);
  return netChanges(
    chosen.map((record) => ({ ...record, workspace: log.toLocalPath(record.workspace) })),
  );
}

/** A host that died may have begun: only a person can say what to do then. */
async function asked(work: () => Promise<Restored>): Promise<Restored> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HostRefused && error.code === "host_died") {
      throw new OutcomeUnknown(error.message);
    }
    throw error;
  }
}

/** `done`: what had been rolled back before a conflict stopped it. Normally nothing. */
function refused(found: Restored, done: Pick<Restored, "restored" | "removed">): ToolResult {
  const undone = done.restored.length + done.removed.length;
  const rest = undone === 0 ? "Nothing was rolled back." : `${files(undone)} had been rolled back.`;
  const message = `${files(found.conflicts.length)} changed since. ${rest}`;
  const result = { ok: false, preview: false, ...bounded({ ...found, ...done }) };
  return { ok: false, result, error: { code: "conflict", message } };
}

function bounded({ restored, removed, conflicts }: Restored) {
  return {
    restored: restored.slice(0, MAX_LISTED),
    removed: removed.slice(0, MAX_LISTED),
    conflicts: conflicts.slice(0, MAX_LISTED),
    truncated: Math.max(restored.length, removed.length, conflicts.length) > MAX_LISTED,
  };
}

function files(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}
