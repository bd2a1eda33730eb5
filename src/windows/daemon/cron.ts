// Schedules for the dashboard's sidebar.
import type { Journal } from "../../kernel/journal/journal.ts";
import { isAlive } from "../../kernel/journal/liveness.ts";
import type { CronJobRecord } from "../../features/schedules/records.ts";
import { isoTime } from "../../kernel/dialect/iso-time.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { scheduleStore } from "../../features/schedules/store/store.ts";

export async function cronStatus(journal: Journal): Promise<string> {
  const [jobs, processes] = await Promise.all([
    scheduleStore(journal).cronJobs(),
    journal.registry.processes(),
  ]);
  const isKept = processes.some((each) => each.kind === "runner" && isAlive(each) !== false);
  const going = jobs.find(({ last }) => last?.status && !isTerminal(last.status));
  return JSON.stringify({
    method: "scheduler.cron.status.result",
    schedulerRunning: isKept && jobs.length > 0,
    jobRunning: going !== undefined,
    ...(going?.last && {
      currentJobId: going.job_id,
      currentJobStartedAt: isoTime(going.last.decided_at),
    }),
    jobs: jobs.map(toDaemonJob),
  });
}

function toDaemonJob({ job_id, name, schedule, words, state, last, next_at }: CronJobRecord) {
  const problem = last?.status === "failed" ? "the run failed" : last?.reason;
  return {
    id: job_id,
    name,
    expression: schedule,
    enabled: state === "active",
    heartbeat: false,
    kind: "prompt",
    description: words,
    ...(last?.run_id && { lastRunAt: isoTime(last.decided_at) }),
    ...(problem && { lastError: problem }),
    ...(next_at !== null && state === "active" && { nextFireAt: isoTime(next_at) }),
  };
}
