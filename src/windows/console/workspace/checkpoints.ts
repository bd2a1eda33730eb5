// Checkpoints of tools' changes, and the diff of one of them, in the shapes of the console.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { ChangeRecord, FileDiff } from "../../../kernel/api/records/records.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import { RunId, SessionId } from "../../../kernel/events/ids.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { diffOf } from "../../../kernel/server/workspace/change-diff.ts";
import { WorkspacePath } from "../../../kernel/api/workspace-queries.ts";
import { both, ConsoleError, take } from "../envelopes.ts";
import { backwards } from "../stream/backwards.ts";
import { relativeTo, workspaceOf } from "./place.ts";

const MAX_CHECKPOINTS = 100;
const SESSIONS = 20;

const Diff = z.object({
  checkpoint_id: z.string().max(300).optional(),
  run_id: RunId.optional(),
  session_id: SessionId.optional(),
  path: WorkspacePath.optional(),
});
const List = z.object({
  workspace: WorkspacePath.optional(),
  session_id: SessionId.optional(),
});

export function checkpointPages(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/workspace/diff", async ({ query }) => {
      const asked = take(Diff, query);
      const part = await changesFor(deps, asked);
      const { files, truncated } = await diffOf(journal.blobs, part);
      const checkpoint_id = asked.checkpoint_id ?? null;
      return both({ checkpoint_id, stat: statOf(files), diff: textOf(files), files, truncated });
    });

    app.get("/workspace/checkpoints", async ({ query }) => {
      const { workspace, session_id } = take(List, query);
      const working_dir = workspace ?? (await workspaceOf(deps, { session_id }));
      const sessions =
        session_id === undefined ? await sessionsIn(journal, working_dir) : [session_id];
      const found: Checkpoint[] = [];
      for (const id of sessions) found.push(...(await checkpointsOf(journal, id)));
      found.sort((one, other) => other.at - one.at);
      const checkpoints = found.slice(0, MAX_CHECKPOINTS).map(({ at, ...rest }) => ({
        ...rest,
        created_at: isoTime(at),
      }));
      const truncated = found.length > MAX_CHECKPOINTS || sessions.length >= SESSIONS;
      return both({ working_dir, checkpoints, count: checkpoints.length, truncated });
    });
  };
}

async function changesFor(
  deps: AppDeps,
  asked: z.infer<typeof Diff>,
): Promise<readonly ChangeRecord[]> {
  const { checkpoint_id, run_id, session_id, path } = asked;
  const named = checkpoint_id ?? run_id ?? session_id;
  if (path === undefined) return changesOfNamed(deps.journal, asked);
  if (named) return (await changesOfNamed(deps.journal, asked)).filter(ofPath(path));
  // Of a path alone: what the session that changed it last did to it.
  for (const id of await sessionsIn(deps.journal, await workspaceOf(deps, {}))) {
    const changes = (await deps.journal.reads.changes({ sessionId: id })).filter(ofPath(path));
    if (changes.length > 0) return changes;
  }
  return [];
}

async function changesOfNamed(
  journal: Journal,
  { checkpoint_id, run_id, session_id }: z.infer<typeof Diff>,
): Promise<readonly ChangeRecord[]> {
  if (checkpoint_id) {
    const changes = await changesOf(journal, checkpoint_id);
    if (changes.length > 0) return changes;
    throw noCheckpoint(checkpoint_id);
  }
  if (run_id !== undefined) {
    if (await journal.reads.run(run_id)) return journal.reads.changes({ runId: run_id });
    throw new ConsoleError("run_not_found", "Run not found", { run_id });
  }
  if (session_id !== undefined) {
    if (await journal.reads.session(session_id))
      return journal.reads.changes({ sessionId: session_id });
    throw new ConsoleError("session_not_found", "Session not found", { session_id });
  }
  const message = "Say of what: `checkpoint_id`, `run_id` or `session_id`.";
  throw new ConsoleError("missing_checkpoint_id", message);
}

function ofPath(path: string): (change: ChangeRecord) => boolean {
  return (change) => change.path === relativeTo(change.workspace, path);
}

/** A checkpoint's id names its run: kernel/run/checkpoints/checkpoints.ts makes it of run, call and attempt. */
export function runOfCheckpoint(checkpointId: string): string | undefined {
  const runId = /^ck_(.+)_[^_]+_\d+$/.exec(checkpointId)?.[1];
  return RunId.safeParse(runId).data;
}

export async function changesOf(journal: Journal, checkpointId: string) {
  const runId = runOfCheckpoint(checkpointId);
  const all = runId === undefined ? [] : await journal.reads.changes({ runId });
  return all.filter(({ checkpoint_id }) => checkpoint_id === checkpointId);
}

export function noCheckpoint(checkpoint_id: string): ConsoleError {
  const message = "There is no such checkpoint, or nothing was changed after it.";
  return new ConsoleError("checkpoint_not_found", message, { checkpoint_id });
}

async function sessionsIn(journal: Journal, workspace: string): Promise<string[]> {
  const query = { workspace, limit: SESSIONS, offset: 0 };
  const { sessions } = await journal.reads.sessionSummaries(query);
  return sessions.map(({ session_id }) => session_id);
}

type Checkpoint = {
  readonly checkpoint_id: string;
  readonly label: string;
  readonly at: number;
  readonly session_id: string;
  readonly run_id: string;
  readonly file_count: number;
  readonly files: readonly string[];
};

async function checkpointsOf(journal: Journal, session_id: string): Promise<Checkpoint[]> {
  const changes = await journal.reads.changes({ sessionId: session_id });
  const byCheckpoint = Map.groupBy(changes, ({ checkpoint_id }) => checkpoint_id);
  const newest = [...byCheckpoint].slice(-MAX_CHECKPOINTS);
  const made = await madeIn(journal, new Set(newest.flatMap(([, [one]]) => one?.run_id ?? [])));
  return newest.flatMap(([checkpoint_id, changed]) => {
    const [first] = changed;
    if (!first) return [];
    const { label = "", at = 0 } = made.get(checkpoint_id) ?? {};
    const files = changed.map(({ path }) => path).slice(0, 20);
    const file_count = changed.length;
    return [{ checkpoint_id, label, at, session_id, run_id: first.run_id, file_count, files }];
  });
}

/** As the stream tells them: a call may have been planned long before it was allowed and its checkpoint made. */
async function madeIn(journal: Journal, runIds: ReadonlySet<string>) {
  const made = new Map<string, { readonly label: string; readonly at: number }>();
  for (const runId of runIds) {
    for await (const { type, payload, created_at: at } of backwards(journal, runId)) {
      if (type === "checkpoint.created")
        made.set(payload.checkpoint_id, { label: payload.label, at });
    }
  }
  return made;
}

function statOf(files: readonly FileDiff[]): string {
  const lines = files.map(({ path, added, removed, binary }) =>
    binary ? ` ${path} | binary` : ` ${path} | +${added} -${removed}`,
  );
  const count = files.length === 1 ? "1 file changed" : `${files.length} files changed`;
  return [...lines, ` ${count}`].join("\n");
}

function textOf(files: readonly FileDiff[]): string {
  return files
    .map(({ text }) => (text === "" || text.endsWith("\n") ? text : `${text}\n`))
    .join("");
}
