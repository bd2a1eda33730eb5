// The calls for schedules.
import type { schedulesApi } from "./api.ts";
import type { CreateCronJob, UpdateCronJob } from "./commands.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";

export type CronFields = Omit<Partial<CreateCronJob>, "job_id" | "paused">;

export function cronCalls(calls: Calls) {
  const call = callsOf<typeof schedulesApi>(calls);
  return {
    jobs: (signal?: AbortSignal) => call("get /api/cron/jobs", {}, signal),
    create: (job_id: string, fields: CronFields) =>
      call("post /api/cron/jobs", { body: { job_id, ...fields } as CreateCronJob }),
    update: (jobId: string, body: UpdateCronJob) =>
      call("post /api/cron/jobs/{jobId}", { params: { jobId }, body }),
    run: (jobId: string, command_id: string) =>
      call("post /api/cron/jobs/{jobId}/run", { params: { jobId }, body: { command_id } }),
    switch: (jobId: string, act: "pause" | "resume" | "delete") =>
      call(`post /api/cron/jobs/{jobId}/${act}`, { params: { jobId } }),
    history: (jobId: string, before?: number, signal?: AbortSignal) => {
      const query = { limit: 20, before };
      return call("get /api/cron/jobs/{jobId}/history", { params: { jobId }, query }, signal);
    },
    preview: (schedule: string, time_zone: string, signal?: AbortSignal) =>
      call("get /api/cron/preview", { query: { schedule, time_zone, count: 4 } }, signal),
  };
}
export type CronCalls = ReturnType<typeof cronCalls>;
