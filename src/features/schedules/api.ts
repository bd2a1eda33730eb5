// The routes of schedules.
import { get, post, type ApiRoute } from "../../kernel/api/api-route.ts";

const NO_JOB = ["invalid_request", "not_found"] as const;

export const CRON_ROUTES: readonly ApiRoute[] = [
  get("/api/cron/jobs", {
    id: "listCronJobs",
    tag: "cron",
    summary: "Schedules, the next one first.",
    answer: { data: "CronJobsView" },
  }),
  post("/api/cron/jobs", {
    id: "createCronJob",
    tag: "cron",
    summary: "A new schedule; its id is in the outcome's payload.",
    answer: "outcome",
    body: "CreateCronJob",
    errors: ["invalid_request"],
  }),
  get("/api/cron/preview", {
    id: "previewSchedule",
    tag: "cron",
    summary: "What a schedule means in a zone: in words, and its next times.",
    answer: { data: "CronPreview" },
    query: ["schedule", "time_zone", "count"],
    errors: ["invalid_request"],
  }),
  get("/api/cron/jobs/{jobId}", {
    id: "getCronJob",
    tag: "cron",
    summary: "One schedule.",
    answer: { data: "CronJobRecord" },
    errors: NO_JOB,
  }),
  post("/api/cron/jobs/{jobId}", {
    id: "updateCronJob",
    tag: "cron",
    summary: "Change a schedule; what is left out stays.",
    answer: "outcome",
    body: "UpdateCronJob",
    errors: NO_JOB,
  }),
  post("/api/cron/jobs/{jobId}/run", {
    id: "runCronJob",
    tag: "cron",
    summary: "Run it once, now, beside its schedule.",
    answer: "outcome",
    body: "RunCronJob",
    errors: [...NO_JOB, "idempotency_conflict"],
  }),
  ...(["pause", "resume", "delete"] as const).map((act) =>
    post(`/api/cron/jobs/{jobId}/${act}`, {
      id: `${act}CronJob`,
      tag: "cron",
      summary: {
        pause: "No more times are due until it is resumed.",
        resume: "From now on; what came meanwhile is skipped.",
        delete: "The schedule goes; its runs and its history stay in the log.",
      }[act],
      answer: "outcome",
      errors: NO_JOB,
    }),
  ),
  get("/api/cron/jobs/{jobId}/history", {
    id: "readCronHistory",
    tag: "cron",
    summary: "What became of each time that was due, newest first.",
    answer: { data: "CronHistory" },
    query: ["before", "limit"],
    errors: NO_JOB,
  }),
];
