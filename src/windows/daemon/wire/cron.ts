// What the dashboard's sidebar asks of schedules.
import { z } from "zod";

export const CronStatus = z.object({ method: z.literal("scheduler.cron.status") });
