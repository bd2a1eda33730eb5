// Everything the journal does for schedules, put together.
import { createCronJob, switchCronJob, updateCronJob } from "./commands.ts";
import { deliveries } from "./deliveries.ts";
import type { Cron } from "./journal.ts";
import { cronReads } from "./reads.ts";
import { decideTick, runCronJob } from "./ticks.ts";
import type { Sql } from "../../../kernel/journal/sql.ts";
import type { Transact } from "../../../kernel/journal/transaction.ts";

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
