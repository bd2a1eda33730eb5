// A schedule and its history as the console's document and its real client know them.
import type { CronJobRecord, CronTick } from "../../../features/schedules/records.ts";
import { z } from "zod";
import { ClientKey } from "../../../kernel/events/ids.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";

const Text = (most: number) => z.string().max(most);
const Skills = z.array(z.string().min(1).max(100)).max(20);

/** What it does not know it leaves alone; `skill` is one skill, `timezone` another word for the zone. */
export const ConsoleCronJob = z.looseObject({
  name: Text(200).nullish(),
  prompt: Text(65_536).nullish(),
  schedule: Text(200).nullish(),
  deliver: Text(300).nullish(),
  skills: Skills.nullish(),
  skill: Text(100).nullish(),
  model: Text(200).nullish(),
  enabled: z.boolean().nullish(),
  paused: z.boolean().nullish(),
  time_zone: Text(64).nullish(),
  timezone: Text(64).nullish(),
  allow_risky: z.boolean().nullish(),
});
export type ConsoleCronJob = z.infer<typeof ConsoleCronJob>;

export const ConsoleCronRun = z.looseObject({
  command_id: ClientKey.nullish(),
  message_id: ClientKey.nullish(),
  client_message_id: ClientKey.nullish(),
});

type Said = Partial<Record<string, unknown>>;

/** The fields of our own commands that were said. */
export function cronFieldsOf(asked: ConsoleCronJob): Said {
  const { name, prompt, schedule, deliver, model, allow_risky } = asked;
  const skills = asked.skills ?? (asked.skill ? [asked.skill] : undefined);
  const time_zone = asked.time_zone ?? asked.timezone;
  const said = { name, prompt, schedule, deliver, skills, model, time_zone, allow_risky };
  return Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== undefined && value !== null),
  );
}

const STATES = { active: "scheduled", paused: "paused", over: "completed" } as const;

export function toConsoleJob(job: CronJobRecord) {
  const { job_id, name, prompt, schedule, deliver, skills, model, state, last, next_at } = job;
  const ran = last?.run_id ? last : null;
  return {
    job_id,
    id: job_id,
    name,
    prompt,
    schedule,
    schedule_display: job.words,
    time_zone: job.time_zone,
    deliver,
    skills: [...skills],
    skill: skills[0] ?? null,
    model,
    paused: state === "paused",
    enabled: state !== "paused",
    state: STATES[state],
    next_run_at: next_at === null || state === "paused" ? null : isoTime(next_at),
    last_run_at: ran ? isoTime(ran.decided_at) : null,
    last_status: last ? statusOf(last) : null,
    last_error: last?.result === "skipped" ? last.reason : null,
    created_at: isoTime(job.created_at),
  };
}

const statusOf = ({ status, result }: CronTick) => status ?? result;

export function toConsoleHistory(jobId: string, ticks: readonly CronTick[]) {
  const history = ticks.map((tick) => ({
    run_id: tick.run_id,
    job_id: jobId,
    session_id: tick.session_id,
    output_file: null, // what a run said is in its session
    filename: null,
    created_at: isoTime(tick.decided_at),
    due_at: isoTime(tick.due_at),
    size_bytes: tick.output?.length ?? 0,
    output_preview: tick.output ?? tick.reason,
    output_truncated: (tick.output?.length ?? 0) >= PREVIEW,
    result: tick.result,
    status: statusOf(tick),
    delivery: tick.delivery,
  }));
  const ran = ticks.find(({ run_id }) => run_id !== null);
  const failed = ran && ran.status !== "completed" && ran.status !== null ? ran.status : null;
  return {
    job_id: jobId,
    history,
    count: history.length,
    latest_run_at: ran ? isoTime(ran.decided_at) : null,
    latest_status: ran ? statusOf(ran) : null,
    latest_error: failed,
  };
}
const PREVIEW = 400;
