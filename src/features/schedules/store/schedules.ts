// What the journal does for schedules. A time that is due is decided here and nowhere else, in one transaction with
// the run it starts: so any number of schedulers may ask at once.
import type { CronJobRecord, CronTick } from "../records.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import type { CreateCronJob, RunCronJob, UpdateCronJob } from "../commands.ts";
import type { PayloadOfSystem } from "../../../kernel/events/system-events.ts";
import type { Defaults } from "../../../kernel/journal/journal.ts";

export type DueJob = {
  readonly job_id: string;
  readonly next_at: number;
  readonly decided_to: number | null; // the newest time that is decided
  readonly profile: string | null;
};
/** `now`: by the database's clock, which alone says what is due. */
export type Decided =
  | {
      readonly decided: false;
      readonly now: number;
      readonly doubted?: boolean;
      /** A missed time is due, and the run before it still goes. */
      readonly waits?: boolean;
    }
  | { readonly decided: true; readonly now: number; readonly tick: PayloadOfSystem<"cron.ticked"> };

export interface Cron {
  createCronJob(command: CreateCronJob, by: string): Promise<Outcome>;
  updateCronJob(jobId: string, command: UpdateCronJob, by: string): Promise<Outcome | undefined>;
  switchCronJob(
    jobId: string,
    act: "pause" | "resume" | "remove",
    by: string,
  ): Promise<Outcome | undefined>;
  /** Once, now, beside the schedule. */
  runCronJob(
    jobId: string,
    command: RunCronJob & { readonly by: string },
    defaults: Defaults,
  ): Promise<Outcome | undefined>;
  /** The next one first; those without a next time last. */
  cronJobs(): Promise<readonly CronJobRecord[]>;
  cronJob(jobId: string): Promise<CronJobRecord | undefined>;
  /** Newest first. */
  cronHistory(query: {
    jobId: string;
    before?: number;
    limit: number;
  }): Promise<readonly CronTick[]>;

  /** The next times of all schedules that are not paused, the soonest first; at most a hundred. */
  dueNext(): Promise<readonly DueJob[]>;
  /**
   * Decides one time that is due (or all that are to be skipped at once). Not decided: none is due, by the database's
   * clock, or that clock is not believed.
   */
  decideTick(
    jobId: string,
    defaults: Defaults,
    believes?: (now: number) => boolean,
  ): Promise<Decided>;
  /** Runs of schedules that have ended, and what messengers made of their answers. `handed`: they are still at so many. */
  settleDeliveries(): Promise<{ readonly settled: number; readonly handed: number }>;
}
