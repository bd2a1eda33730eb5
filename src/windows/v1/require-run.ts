// Finds the run that a request names. Unknown and malformed ids are both "not found".
import type { FastifyRequest } from "fastify";
import type { JournalReads } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { RunId } from "../../kernel/events/ids.ts";
import { V1Error } from "./v1-error.ts";

export async function requireRun(journal: JournalReads, runId: string): Promise<RunRecord> {
  const run = RunId.safeParse(runId).success ? await journal.reads.run(runId) : undefined;
  if (!run) throw new V1Error(404, "run_not_found", `There is no run ${runId.slice(0, 130)}.`);
  return run;
}

export function runIdOf({ params }: FastifyRequest): string {
  return (params as { runId: string }).runId;
}
