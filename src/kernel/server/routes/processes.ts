// Native API: background commands. A person's request is admitted into the run; its runner carries it out.
import type { FastifyPluginAsync } from "fastify";
import type { ProcessRequest } from "../../journal/journal.ts";
import type { ProcessSummary } from "../../api/records/records.ts";
import { processesApi } from "../../api/routes/processes.ts";
import type { Outcome } from "../../events/commands.ts";
import type { AppDeps } from "../app.ts";
import {
  findProcess,
  followLog,
  listProcesses,
  type ProcessPlace,
} from "../workspace/process-reads.ts";
import { abortOnDisconnect } from "../disconnect.ts";
import { mount } from "../mount.ts";
import { noRun, noSession, requireFound } from "./replies.ts";

export function processRoutes({ journal }: AppDeps): FastifyPluginAsync {
  return mount(processesApi, {
    listProcesses: async ({ query: { session_id: id } }) => {
      if (id !== undefined) requireFound(await journal.reads.session(id), noSession(id));
      return listProcesses(journal, id);
    },
    readProcessLog: async ({ params: place, query, reply }) => {
      const { wait_s, first_byte: from, bytes } = query;
      await requireProcess(place);
      const over = AbortSignal.any([abortOnDisconnect(reply), AbortSignal.timeout(wait_s * 1_000)]);
      const view = await followLog(journal, place, { from, bytes }, over);
      return requireFound(view, noProcess(place));
    },
    typeIntoProcess: ({ params, body }) => ask(params, { action: "input", ...body }),
    killProcess: ({ params, body }) => ask(params, { action: "kill", ...body }),
  });

  async function ask(place: ProcessPlace, request: ProcessRequest): Promise<Outcome> {
    const { status, session_id } = await requireProcess(place);
    const { runId } = place;
    if (status === "running") {
      return requireFound(await journal.commands.askProcess(place, request), noRun(runId));
    }
    const about = { run_id: runId, session_id, event_id: null };
    const safe_message = "The process has ended.";
    return { accepted: false, status: "not_active", ...about, safe_message };
  }

  async function requireProcess(place: ProcessPlace): Promise<ProcessSummary> {
    requireFound(await journal.reads.run(place.runId), noRun(place.runId));
    return requireFound(await findProcess(journal, place), noProcess(place));
  }
}

function noProcess({ processId }: ProcessPlace) {
  const message = `There is no process ${processId} in this run.`;
  return { code: "process_not_found", message } as const;
}
