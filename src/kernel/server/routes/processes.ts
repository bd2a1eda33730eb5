// Native API: commands that run in the background. What a person wants of one is admitted into its run; the
// runner that has it does it.
import type { FastifyPluginAsync, FastifyReply } from "fastify";
import { z } from "zod";
import type { ProcessRequest } from "../../journal/journal.ts";
import type { ProcessSummary } from "../../api/records/records.ts";
import { KillProcess, ProcessInput } from "../../events/commands.ts";
import { ApiError, parse } from "../../events/errors.ts";
import { SessionId } from "../../events/ids.ts";
import type { AppDeps } from "../app.ts";
import {
  findProcess,
  followLog,
  listProcesses,
  type ProcessPlace,
} from "../workspace/process-reads.ts";
import { whileWaitedFor } from "../workspace/workspace-params.ts";
import { data, noRun, noSession, runIdOf, sendOutcome } from "./replies.ts";

const MAX_WAIT_S = 25;
const ProcessId = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "the id of a process");
const digits = z
  .string()
  .regex(/^\d{1,15}$/, "a number")
  .transform(Number);
const Log = z.object({
  first_byte: digits.default(0),
  bytes: digits.refine((value) => value >= 1 && value <= 262_144, "1 to 262144").default(65_536),
  wait_s: digits.refine((value) => value <= MAX_WAIT_S, `at most ${MAX_WAIT_S}`).default(0),
});
const List = z.object({ session_id: SessionId.optional() });
const PROCESS = "/runs/:runId/processes/:processId";

export function processRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/processes", async ({ query }) => {
      const { session_id } = parse(List, query);
      if (session_id !== undefined && !(await journal.reads.session(session_id))) {
        throw new ApiError("session_not_found", noSession(session_id).message);
      }
      return data(await listProcesses(journal, session_id));
    });
    app.get(`${PROCESS}/log`, async ({ params, query }, reply) => {
      const { wait_s, first_byte: from, bytes } = parse(Log, query);
      const place = placeOf(params);
      await known(place);
      const over = AbortSignal.any([whileWaitedFor(reply), AbortSignal.timeout(wait_s * 1_000)]);
      const view = await followLog(journal, place, { from, bytes }, over);
      if (!view) throw noProcess(place);
      return data(view);
    });
    app.post(`${PROCESS}/input`, ({ params, body }, reply) =>
      ask(params, { action: "input", ...parse(ProcessInput, body ?? {}) }, reply),
    );
    app.post(`${PROCESS}/kill`, ({ params, body }, reply) =>
      ask(params, { action: "kill", ...parse(KillProcess, body ?? {}) }, reply),
    );
  };

  async function ask(params: unknown, request: ProcessRequest, reply: FastifyReply) {
    const place = placeOf(params);
    const { status, session_id } = await known(place);
    if (status === "running") {
      return sendOutcome(
        reply,
        await journal.commands.askProcess(place, request),
        noRun(place.runId),
      );
    }
    const about = { run_id: place.runId, session_id, event_id: null };
    const safe_message = "The process has ended.";
    return sendOutcome(
      reply,
      { accepted: false, status: "not_active", ...about, safe_message },
      noRun(place.runId),
    );
  }

  async function known(place: ProcessPlace): Promise<ProcessSummary> {
    const { runId } = place;
    if (!(await journal.reads.run(runId)))
      throw new ApiError("run_not_found", noRun(runId).message);
    const process = await findProcess(journal, place);
    if (!process) throw noProcess(place);
    return process;
  }
}

function placeOf(params: unknown): ProcessPlace {
  const processId = parse(ProcessId, (params as { processId: string }).processId);
  return { runId: runIdOf(params), processId };
}

function noProcess({ processId }: ProcessPlace): ApiError {
  return new ApiError("process_not_found", `There is no process ${processId} in this run.`);
}
