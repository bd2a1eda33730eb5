// The calls for schedules.
import type { CronHistory, CronJobsView, CronPreview } from "./records.ts";
import type { Outcome } from "../../kernel/events/commands.ts";
import type { CreateCronJob, UpdateCronJob } from "./commands.ts";
import type { Calls } from "../../kernel/client/api.ts";

export type CronFields = Omit<Partial<CreateCronJob>, "job_id" | "paused">;

export function cronCalls({ get, post }: Calls) {
  const job = (jobId: string) => `/api/cron/jobs/${encodeURIComponent(jobId)}`;
  return {
    jobs: (signal?: AbortSignal) => get<CronJobsView>("/api/cron/jobs", signal),
    create: (jobId: string, fields: CronFields) =>
      post<Outcome>("/api/cron/jobs", { job_id: jobId, ...fields }),
    update: (jobId: string, fields: UpdateCronJob) => post<Outcome>(job(jobId), fields),
    run: (jobId: string, command_id: string) => post<Outcome>(`${job(jobId)}/run`, { command_id }),
    switch: (jobId: string, act: "pause" | "resume" | "delete") =>
      post<Outcome>(`${job(jobId)}/${act}`, {}),
    history: (jobId: string, before?: number, signal?: AbortSignal) =>
      get<CronHistory>(
        `${job(jobId)}/history?limit=20${before === undefined ? "" : `&before=${before}`}`,
        signal,
      ),
    preview: (schedule: string, timeZone: string, signal?: AbortSignal) => {
      const query = new URLSearchParams({ schedule, time_zone: timeZone, count: "4" });
      return get<CronPreview>(`/api/cron/preview?${query.toString()}`, signal);
    },
  };
}
export type CronCalls = ReturnType<typeof cronCalls>;
