// Everything that is kept for schedules, put together.
import { createCronJob, switchCronJob, updateCronJob } from "./commands.ts";
import { deliveries } from "./deliveries.ts";
import type { Cron } from "./schedules.ts";
import { cronReads } from "./reads.ts";
import { decideTick, runCronJob } from "./ticks.ts";
import type { TakingWorkspace } from "../../../kernel/journal/admit/workspaces.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";

export function scheduleStore(journal: Pick<Journal, "database" | "workspaces">): Cron {
  const { sql, transact } = journal.database;
  const { named, chosen } = journal.workspaces;
  const [create, update] = [createCronJob(transact), updateCronJob(transact)];
  const [runOnce, decide] = [runCronJob(transact), decideTick(transact)];
  const taking: TakingWorkspace<Cron> = {
    createCronJob: async (command, by) => create(chosen(command), by),
    updateCronJob: async (jobId, command, by) => update(jobId, chosen(command), by),
    runCronJob: async (jobId, command, defaults) => runOnce(jobId, command, named(defaults)),
    decideTick: async (jobId, defaults, believes) => decide(jobId, named(defaults), believes),
  };
  return {
    ...taking,
    switchCronJob: switchCronJob(transact),
    ...cronReads(sql),
    ...deliveries(sql, transact),
  };
}
