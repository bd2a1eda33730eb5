// Everything the journal does for schedules, put together.
import { createCronJob, switchCronJob, updateCronJob } from "./cron-commands.ts";
import { deliveries } from "./cron-deliveries.ts";
import type { Cron } from "./cron-journal.ts";
import { cronReads } from "./cron-reads.ts";
import { decideTick, runCronJob } from "./cron-ticks.ts";
import type { Sql } from "./sql.ts";
import type { Transact } from "./transaction.ts";

export function cron(sql: Sql, transact: Transact): Cron {
  return {
    createCronJob: createCronJob(transact),
    updateCronJob: updateCronJob(transact),
    switchCronJob: switchCronJob(transact),
    runCronJob: runCronJob(transact),
    decideTick: decideTick(transact),
    ...cronReads(sql),
    ...deliveries(sql, transact),
  };
}
