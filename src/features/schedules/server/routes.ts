// Native API: schedules, their history, and what a schedule would mean.
import type { FastifyPluginAsync } from "fastify";
import { timesOf, zoneNamed } from "../store/times.ts";
import type { CronHistory, CronJobsView, CronPreview } from "../records.ts";
import { schedulesApi, type PreviewQuery } from "../api.ts";
import { targetOf, type RunCronJob } from "../commands.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { describeSchedule } from "../describe-schedule.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { defaultsFor } from "../../../kernel/server/defaults.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { requireFound } from "../../../kernel/server/routes/replies.ts";
import { scheduleStore } from "../store/store.ts";
import { messengerStore } from "../../messengers/store/store.ts";

const BY = "person";

export function cronRoutes(deps: AppDeps): FastifyPluginAsync {
  const store = scheduleStore(deps.journal);
  const switched = (act: "pause" | "resume" | "remove") => async (asked: ByJob) => {
    const { jobId } = asked.params;
    return requireFound(await store.switchCronJob(jobId, act, BY), noJob(jobId));
  };
  return mount(schedulesApi, {
    listCronJobs: () => jobsView(deps),
    createCronJob: async ({ body }) =>
      requireFound(await store.createCronJob(requireChannel(deps, body), BY), noJob("")),
    previewSchedule: ({ query }) => preview(query),
    getCronJob: ({ params }) => requireJob(deps, params.jobId),
    updateCronJob: async ({ params: { jobId }, body }) => {
      const command = requireChannel(deps, body);
      return requireFound(await store.updateCronJob(jobId, command, BY), noJob(jobId));
    },
    runCronJob: async ({ params: { jobId }, body }) =>
      requireFound(await runJob(deps, jobId, { ...body, by: BY }), noJob(jobId)),
    pauseCronJob: switched("pause"),
    resumeCronJob: switched("resume"),
    deleteCronJob: switched("remove"),
    readCronHistory: async ({ params, query }) => {
      const { job_id: jobId } = await requireJob(deps, params.jobId);
      return history(deps, jobId, query);
    },
  });
}

type ByJob = { readonly params: { readonly jobId: string } };

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

function preview({ schedule, time_zone, count }: PreviewQuery): CronPreview {
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
  { before, limit }: { before?: number | undefined; limit: number },
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
export function requireChannel<Command extends { deliver?: string | undefined }>(
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
  return requireFound(await scheduleStore(journal).cronJob(jobId), noJob(jobId));
}

function noJob(jobId: string) {
  return { code: "not_found", message: `There is no schedule ${jobId}.` } as const;
}
