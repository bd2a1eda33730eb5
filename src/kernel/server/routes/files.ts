// Native API: what tools changed, and how it looks.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import type { ChangeRecord } from "../../api/records/records.ts";
import { ApiError, parse } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { diffOf } from "../workspace/change-diff.ts";
import { integerParam } from "../integer-param.ts";
import { data, noRun, noSession, runIdOf, sessionIdOf } from "./replies.ts";

const MAX_CHANGES = 5_000;
const Part = z.object({
  checkpoint_id: z.string().max(300).optional(),
  until: integerParam(0).optional(),
});

export function fileRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/runs/:runId/changes", async ({ params }) => data(bounded(await ofRun(params))));
    app.get("/sessions/:sessionId/changes", async ({ params }) =>
      data(bounded(await ofSession(params))),
    );
    app.get("/runs/:runId/diff", async ({ params, query }) =>
      data(await diffOf(journal.blobs, partOf(await ofRun(params), query))),
    );
    app.get("/sessions/:sessionId/diff", async ({ params, query }) =>
      data(await diffOf(journal.blobs, partOf(await ofSession(params), query))),
    );
    app.get("/runs/:runId/spent", async ({ params }) =>
      data(await journal.reads.spent(await knownRun(params))),
    );
  };

  async function ofRun(params: unknown) {
    return journal.reads.changes({ runId: await knownRun(params) });
  }

  async function ofSession(params: unknown) {
    const sessionId = sessionIdOf(params);
    if (await journal.reads.session(sessionId)) return journal.reads.changes({ sessionId });
    throw new ApiError("session_not_found", noSession(sessionId).message);
  }

  async function knownRun(params: unknown): Promise<string> {
    const runId = runIdOf(params);
    if (await journal.reads.run(runId)) return runId;
    throw new ApiError("run_not_found", noRun(runId).message);
  }
}

function bounded(changes: readonly ChangeRecord[]) {
  return { changes: changes.slice(0, MAX_CHANGES), truncated: changes.length > MAX_CHANGES };
}

/** Of one call, or up to a moment: what a window shows of the past is what was so then. */
function partOf(changes: readonly ChangeRecord[], query: unknown): readonly ChangeRecord[] {
  const { checkpoint_id: id, until: last = Number.POSITIVE_INFINITY } = parse(Part, query);
  return changes.filter(
    (change) => change.session_seq <= last && (id === undefined || change.checkpoint_id === id),
  );
}
