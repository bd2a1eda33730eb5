// Native API: which files tools changed, with diffs.
import type { FastifyPluginAsync } from "fastify";
import type { ChangeRecord } from "../../api/records/records.ts";
import { filesApi, type DiffQuery } from "../../api/routes/files.ts";
import type { AppDeps } from "../app.ts";
import { diffOf } from "../workspace/change-diff.ts";
import { mount } from "../mount.ts";
import { noRun, noSession, requireFound } from "./replies.ts";

const MAX_CHANGES = 5_000;

export function fileRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return mount(filesApi, {
    runChanges: async ({ params }) => bounded(await ofRun(params.runId)),
    sessionChanges: async ({ params }) => bounded(await ofSession(params.sessionId)),
    runDiff: async ({ params, query }) =>
      diffOf(journal.blobs, partOf(await ofRun(params.runId), query)),
    sessionDiff: async ({ params, query }) =>
      diffOf(journal.blobs, partOf(await ofSession(params.sessionId), query)),
    runSpent: async ({ params: { runId } }) => {
      await requireRun(runId);
      return journal.reads.spent(runId);
    },
    sessionRules: async ({ params: { sessionId } }) => {
      await requireSession(sessionId);
      return { rules: await journal.reads.rules(sessionId) };
    },
  });

  async function ofRun(runId: string) {
    await requireRun(runId);
    return journal.reads.changes({ runId });
  }

  async function ofSession(sessionId: string) {
    await requireSession(sessionId);
    return journal.reads.changes({ sessionId });
  }

  async function requireRun(runId: string) {
    return requireFound(await journal.reads.run(runId), noRun(runId));
  }

  async function requireSession(sessionId: string) {
    return requireFound(await journal.reads.session(sessionId), noSession(sessionId));
  }
}

function bounded(changes: readonly ChangeRecord[]) {
  return { changes: changes.slice(0, MAX_CHANGES), truncated: changes.length > MAX_CHANGES };
}

/** Of one call, or up to a moment: what a window shows of the past is what was so then. */
function partOf(
  changes: readonly ChangeRecord[],
  { checkpoint_id: id, until: last = Number.POSITIVE_INFINITY }: DiffQuery,
): readonly ChangeRecord[] {
  return changes.filter(
    (change) => change.session_seq <= last && (id === undefined || change.checkpoint_id === id),
  );
}
