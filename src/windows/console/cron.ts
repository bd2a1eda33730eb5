// Schedules in the shapes of the console.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { CreateCronJob, JobId, UpdateCronJob } from "../../features/schedules/commands.ts";
import type { Outcome } from "../../kernel/events/commands.ts";
import {
  ConsoleCronJob,
  ConsoleCronRun,
  cronFieldsOf,
  toConsoleHistory,
  toConsoleJob,
} from "./wire/cron.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { runJob, requireChannel } from "../../features/schedules/server/routes.ts";
import { both, ConsoleError, keyOf, take } from "./envelopes.ts";
import { scheduleStore } from "../../features/schedules/store/store.ts";

const BY = "console";
const Listing = z.looseObject({
  include_disabled: z.enum(["0", "1", "true", "false"]).default("1"),
});
const Paging = z.looseObject({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, "1 to 999")
    .default("50"),
});
const OfJob = z.object({ job_id: JobId });

export function cronPages(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/cron/jobs", async ({ query }) => {
      const include_disabled = ["1", "true"].includes(take(Listing, query).include_disabled);
      const all = (await scheduleStore(journal).cronJobs()).map(toConsoleJob);
      const jobs = include_disabled ? all : all.filter(({ enabled }) => enabled);
      return both({ jobs, count: jobs.length, include_disabled });
    });

    app.post("/cron/jobs", async ({ body }) => {
      const asked = take(ConsoleCronJob, body);
      const fields = { ...cronFieldsOf(asked), name: nameOf(asked) };
      const paused = asked.paused ?? asked.enabled === false;
      const command = requireChannel(deps, take(CreateCronJob, { ...fields, paused }));
      const outcome = await named(() => scheduleStore(journal).createCronJob(command, BY));
      return emitted(deps, (outcome.payload as { job_id: string }).job_id);
    });

    app.get("/cron/jobs/:jobId", async ({ params }) => emitted(deps, jobIdOf(params)));

    app.patch("/cron/jobs/:jobId", async ({ params, body }) => {
      const jobId = jobIdOf(params);
      const asked = take(ConsoleCronJob, body);
      const command = requireChannel(deps, take(UpdateCronJob, cronFieldsOf(asked)));
      want(jobId, await named(() => scheduleStore(journal).updateCronJob(jobId, command, BY)));
      const paused = asked.paused ?? (asked.enabled == null ? undefined : !asked.enabled);
      if (paused !== undefined)
        await scheduleStore(journal).switchCronJob(jobId, paused ? "pause" : "resume", BY);
      return emitted(deps, jobId);
    });

    app.delete("/cron/jobs/:jobId", async ({ params }) => {
      const jobId = jobIdOf(params);
      want(jobId, await scheduleStore(journal).switchCronJob(jobId, "remove", BY));
      return both({ job_id: jobId, deleted: true });
    });

    app.post("/cron/jobs/:jobId/run", async (request) => {
      const jobId = jobIdOf(request.params);
      const key = keyOf(take(ConsoleCronRun, request.body), request);
      const command = { by: BY, ...(key !== undefined && { command_id: key }) };
      const { run_id, session_id } = want(jobId, await runJob(deps, jobId, command));
      return emitted(deps, jobId, { queued: true, run_id, session_id });
    });

    for (const act of ["pause", "resume"] as const) {
      app.post(`/cron/jobs/:jobId/${act}`, async ({ params }) => {
        const jobId = jobIdOf(params);
        want(jobId, await scheduleStore(journal).switchCronJob(jobId, act, BY));
        return emitted(deps, jobId);
      });
    }

    app.get("/cron/jobs/:jobId/history", async ({ params, query }) => {
      const jobId = jobIdOf(params);
      if (!(await scheduleStore(journal).cronJob(jobId))) throw noJob(jobId);
      const limit = Math.min(200, Number(take(Paging, query).limit));
      return both(
        toConsoleHistory(jobId, await scheduleStore(journal).cronHistory({ jobId, limit })),
      );
    });
  };
}

/** The document names every job; its client does not. */
function nameOf({ name, prompt, skill, skills }: ConsoleCronJob): string {
  const said = name ?? prompt?.trim().split("\n")[0] ?? skill ?? skills?.[0] ?? "";
  return said.slice(0, 80) || "Schedule";
}

async function emitted({ journal }: AppDeps, jobId: string, more: object = {}) {
  const job = await scheduleStore(journal).cronJob(jobId);
  if (!job) throw noJob(jobId);
  return both({ job: toConsoleJob(job), ...more });
}

/** What a field says wrongly has the console's code for that field. */
async function named<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_request") throw error;
    const field = error.message.split(":")[0] ?? "";
    const code = field === "schedule" || field === "time_zone" ? "invalid_schedule" : undefined;
    if (code === undefined && field !== "prompt") throw error;
    const details = error.details as Record<string, never>;
    throw new ConsoleError(code ?? "invalid_prompt", error.message.slice(0, 500), details);
  }
}

function want(jobId: string, outcome: Outcome | undefined): Outcome {
  if (!outcome) throw noJob(jobId);
  return outcome;
}

function noJob(job_id: string): ConsoleError {
  return new ConsoleError("job_not_found", `There is no schedule ${job_id}.`, { job_id });
}

function jobIdOf(params: unknown): string {
  return take(OfJob, { job_id: (params as { jobId: string }).jobId }).job_id;
}
