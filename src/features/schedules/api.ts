// The endpoints of schedules.
import { z } from "zod";
import { CreateCronJob, JobId, RunCronJob, UpdateCronJob } from "./commands.ts";
import { CronHistory, CronJobRecord, CronJobsView, CronPreview } from "./records.ts";
import { get, post } from "../../kernel/api/endpoint.ts";
import { integerParam, OLDER } from "../../kernel/api/integer-param.ts";

const BY_JOB = { jobId: JobId.describe("The schedule's id.") };
const NO_JOB = ["invalid_request", "not_found"] as const;

const PreviewQuery = z.strictObject({
  schedule: z.string().min(1).max(200).describe("As a person writes it."),
  time_zone: z
    .string()
    .min(1)
    .max(64)
    .default("UTC")
    .describe("An IANA name; `UTC` when left out."),
  count: integerParam(1, 20).default(5).describe("How many times, at most 20; 5 when left out."),
});

export type PreviewQuery = z.output<typeof PreviewQuery>;

export const schedulesApi = {
  listCronJobs: get("/api/cron/jobs", {
    tag: "cron",
    summary: "Schedules, the next one first.",
    response: CronJobsView,
  }),
  createCronJob: post("/api/cron/jobs", {
    tag: "cron",
    summary: "A new schedule; its id is in the outcome's payload.",
    response: "outcome",
    body: CreateCronJob,
    errors: ["invalid_request"],
  }),
  previewSchedule: get("/api/cron/preview", {
    tag: "cron",
    summary: "What a schedule means in a zone: in words, and its next times.",
    response: CronPreview,
    query: PreviewQuery,
    errors: ["invalid_request"],
  }),
  getCronJob: get("/api/cron/jobs/{jobId}", {
    params: BY_JOB,
    tag: "cron",
    summary: "One schedule.",
    response: CronJobRecord,
    errors: NO_JOB,
  }),
  updateCronJob: post("/api/cron/jobs/{jobId}", {
    params: BY_JOB,
    tag: "cron",
    summary: "Change a schedule; what is left out stays.",
    response: "outcome",
    body: UpdateCronJob,
    errors: NO_JOB,
  }),
  runCronJob: post("/api/cron/jobs/{jobId}/run", {
    params: BY_JOB,
    tag: "cron",
    summary: "Run it once, now, beside its schedule.",
    response: "outcome",
    body: RunCronJob,
    errors: [...NO_JOB, "idempotency_conflict"],
  }),
  pauseCronJob: post("/api/cron/jobs/{jobId}/pause", {
    params: BY_JOB,
    tag: "cron",
    summary: "No more times are due until it is resumed.",
    response: "outcome",
    errors: NO_JOB,
  }),
  resumeCronJob: post("/api/cron/jobs/{jobId}/resume", {
    params: BY_JOB,
    tag: "cron",
    summary: "From now on; what came meanwhile is skipped.",
    response: "outcome",
    errors: NO_JOB,
  }),
  deleteCronJob: post("/api/cron/jobs/{jobId}/delete", {
    params: BY_JOB,
    tag: "cron",
    summary: "The schedule goes; its runs and its history stay in the log.",
    response: "outcome",
    errors: NO_JOB,
  }),
  readCronHistory: get("/api/cron/jobs/{jobId}/history", {
    params: BY_JOB,
    tag: "cron",
    summary: "What became of each time that was due, newest first.",
    response: CronHistory,
    query: z.strictObject(OLDER),
    errors: NO_JOB,
  }),
};
