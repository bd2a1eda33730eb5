// Native API: schedules, their history, and what a schedule would mean.
import type { FastifyPluginAsync } from "fastify";
import { z } from "zod";
import { timesOf, zoneNamed } from "../store/times.ts";
import type { CronHistory, CronJobsView, CronPreview } from "../records.ts";
import { CreateCronJob, JobId, RunCronJob, targetOf, UpdateCronJob } from "../commands.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import { describeSchedule } from "../describe-schedule.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { defaultsFor } from "../../../kernel/server/defaults.ts";
import { OLDER, integerParam } from "../../../kernel/server/integer-param.ts";
import { data, sendOutcome } from "../../../kernel/server/routes/replies.ts";
import { scheduleStore } from "../store/store.ts";
import { messengerStore } from "../../messengers/store/store.ts";

const BY = "person";
const Preview = z.strictObject({
  schedule: z.string().min(1).max(200),
  time_zone: z.string().min(1).max(64).default("UTC"),
  count: integerParam(1, 20).default(5),
});
const Paging = z.strictObject(OLDER);
const SWITCHES = { pause: "pause", resume: "resume", delete: "remove" } as const;

export function cronRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/cron/jobs", async () => data(await jobsView(deps)));

    app.post("/cron/jobs", async ({ body }, reply) => {
      const command = requireKnownChannel(deps, parse(CreateCronJob, body ?? {}));
      return sendOutcome(reply, await scheduleStore(journal).createCronJob(command, BY), noJob(""));
    });

    app.get("/cron/preview", async ({ query }) => data(preview(parse(Preview, query))));

    app.get("/cron/jobs/:jobId", async ({ params }) =>
      data(await requireJob(deps, jobIdOf(params))),
    );

    app.post("/cron/jobs/:jobId", async ({ params, body }, reply) => {
      const jobId = jobIdOf(params);
      const command = requireKnownChannel(deps, parse(UpdateCronJob, body ?? {}));
      return sendOutcome(
        reply,
        await scheduleStore(journal).updateCronJob(jobId, command, BY),
        noJob(jobId),
      );
    });

    app.post("/cron/jobs/:jobId/run", async ({ params, body }, reply) => {
      const jobId = jobIdOf(params);
      const command = parse(RunCronJob, body ?? {});
      const outcome = await runJob(deps, jobId, { ...command, by: BY });
      return sendOutcome(reply, outcome, noJob(jobId));
    });

    for (const [path, act] of Object.entries(SWITCHES)) {
      app.post(`/cron/jobs/:jobId/${path}`, async ({ params }, reply) => {
        const jobId = jobIdOf(params);
        return sendOutcome(
          reply,
          await scheduleStore(journal).switchCronJob(jobId, act, BY),
          noJob(jobId),
        );
      });
    }

    app.get("/cron/jobs/:jobId/history", async ({ params, query }) => {
      const paging = parse(Paging, query);
      const { job_id: jobId } = await requireJob(deps, jobIdOf(params));
      return data(await history(deps, jobId, paging));
    });
  };
}

async function jobsView({ journal, channels = [] }: AppDeps): Promise<CronJobsView> {
  const messengers = (await messengerStore(journal).gatewayPlatforms()).filter(
    ({ enabled }) => enabled,
  );
  return {
    jobs: [...(await scheduleStore(journal).cronJobs())],
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    channels: channels.map(({ id }) => id),
    messengers: messengers.map(({ platform }) => platform),
  };
}

function preview({ schedule, time_zone, count }: z.infer<typeof Preview>): CronPreview {
  const now = Date.now() / 1_000;
  const zone = zoneNamed(time_zone);
  const upcoming = timesOf({ schedule, time_zone: zone, anchor_at: now });
  const times: number[] = [];
  for (let at = upcoming.next(now); at !== null && times.length < count; at = upcoming.next(at)) {
    times.push(at);
  }
  return { words: describeSchedule(schedule), time_zone: zone, times };
}

async function history(
  { journal }: AppDeps,
  jobId: string,
  { before, limit }: z.infer<typeof Paging>,
): Promise<CronHistory> {
  const asked = { jobId, limit: limit + 1, ...(before !== undefined && { before }) };
  const found = await scheduleStore(journal).cronHistory(asked);
  const ticks = found.slice(0, limit);
  const next = found.length > limit ? (ticks.at(-1)?.seq ?? null) : null;
  return { job_id: jobId, ticks, next };
}

/** With what a session of its profile begins with here. */
export async function runJob(
  deps: AppDeps,
  jobId: string,
  command: RunCronJob & { readonly by: string },
) {
  const job = await scheduleStore(deps.journal).cronJob(jobId);
  if (!job) return undefined;
  const defaults = await defaultsFor(deps, job.profile ?? undefined);
  return scheduleStore(deps.journal).runCronJob(jobId, command, defaults);
}

/** A channel nobody can come through is no place for an answer. */
export function requireKnownChannel<Command extends { deliver?: string | undefined }>(
  { channels = [] }: Pick<AppDeps, "channels">,
  command: Command,
): Command {
  const target = targetOf(command.deliver ?? "local");
  if (target?.kind !== "channel") return command;
  if (channels.some(({ id }) => id === target.channelId)) return command;
  const known = channels.map(({ id }) => id).join(", ") || "none";
  const message = `There is no channel ${target.channelId}; there is: ${known}.`;
  throw new ApiError("invalid_request", `deliver: ${message}`, {
    issues: [{ path: "deliver", message }],
  });
}

async function requireJob({ journal }: AppDeps, jobId: string) {
  const job = await scheduleStore(journal).cronJob(jobId);
  if (job) return job;
  const { code, message } = noJob(jobId);
  throw new ApiError(code, message);
}

function jobIdOf(params: unknown): string {
  return parse(JobId, (params as { jobId: string }).jobId);
}

export function noJob(jobId: string) {
  return { code: "not_found", message: `There is no schedule ${jobId}.` } as const;
}
