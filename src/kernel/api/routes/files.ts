// The endpoints for a run's file changes, usage and rules.
import { z } from "zod";
import { BY_RUN, BY_SESSION, get, NO_RUN, NO_SESSION } from "../endpoint.ts";
import { integerParam } from "../integer-param.ts";
import { ChangesView, DiffView, RulesView, SpentRecord } from "../records/records.ts";

const DiffQuery = z.object({
  checkpoint_id: z.string().max(300).optional().describe("Only what this one call did."),
  until: integerParam(0).optional().describe("Only what happened up to this `session_seq`."),
});
export type DiffQuery = z.output<typeof DiffQuery>;

export const filesApi = {
  runChanges: get("/api/runs/{runId}/changes", {
    params: BY_RUN,
    tag: "files",
    summary: "What the run and its subagents changed.",
    response: ChangesView,
    errors: NO_RUN,
  }),
  runDiff: get("/api/runs/{runId}/diff", {
    params: BY_RUN,
    tag: "files",
    summary: "The same as a unified diff, of all of it or of one call.",
    response: DiffView,
    query: DiffQuery,
    errors: NO_RUN,
  }),
  runSpent: get("/api/runs/{runId}/spent", {
    params: BY_RUN,
    tag: "runs",
    summary: "What the run and its subagents have used.",
    response: SpentRecord,
    errors: NO_RUN,
  }),
  sessionChanges: get("/api/sessions/{sessionId}/changes", {
    params: BY_SESSION,
    tag: "files",
    summary: "What the session's runs changed.",
    response: ChangesView,
    errors: NO_SESSION,
  }),
  sessionDiff: get("/api/sessions/{sessionId}/diff", {
    params: BY_SESSION,
    tag: "files",
    summary: "The same as a unified diff.",
    response: DiffView,
    query: DiffQuery,
    errors: NO_SESSION,
  }),
  sessionRules: get("/api/sessions/{sessionId}/rules", {
    params: BY_SESSION,
    tag: "sessions",
    summary: "What people allowed and forbade beforehand.",
    response: RulesView,
    errors: NO_SESSION,
  }),
};
