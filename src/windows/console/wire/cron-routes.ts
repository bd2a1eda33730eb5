// What the console asks of schedules.
import type { DialectRoute } from "../../../kernel/dialect/window-doc.ts";
import { get, post, route } from "./route.ts";

export const CRON_ROUTES: readonly DialectRoute[] = [
  get("/cron/jobs", "Schedules; `include_disabled=0` leaves paused ones out."),
  post("/cron/jobs", "A new one: `schedule`, and `prompt` or `skills`."),
  get("/cron/jobs/{jobId}", "One schedule."),
  route("PATCH", "/cron/jobs/{jobId}", "Change what is said; `enabled` pauses and resumes."),
  route("DELETE", "/cron/jobs/{jobId}", "Remove it; its runs stay."),
  post("/cron/jobs/{jobId}/run", "Once, now."),
  post("/cron/jobs/{jobId}/pause", "No more times are due."),
  post("/cron/jobs/{jobId}/resume", "From now on."),
  get("/cron/jobs/{jobId}/history", "What became of each time, newest first; `limit`."),
];
