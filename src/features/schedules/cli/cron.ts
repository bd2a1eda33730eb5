// `cron`: schedules from the shell. Works on the journal itself, so nothing has to be running.
import { type Config, type Parsed, UsageError } from "../../../config.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { Outcome } from "../../../kernel/events/commands.ts";
import { CreateCronJob } from "../commands.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import type { CronJobRecord } from "../records.ts";
import { requireChannel } from "../server/routes.ts";
import { openJournal } from "../../../cli/open-journal.ts";
import { scheduleDefaults } from "./beside-runs.ts";
import { defined } from "../../../kernel/events/defined.ts";
import { scheduleStore } from "../store/store.ts";

export const flags = {
  json: { type: "boolean" },
  name: { type: "string" },
  zone: { type: "string" },
  deliver: { type: "string" },
  session: { type: "string" },
  overlap: { type: "string" },
  "catch-up": { type: "string" },
  model: { type: "string" },
  profile: { type: "string" },
  skill: { type: "string", multiple: true },
  "allow-risky": { type: "boolean" },
} as const;

const BY = "shell";
const USAGE = 'cron list | add "SCHEDULE" "PROMPT" | run ID | pause ID | resume ID | remove ID';

type Doing = {
  readonly journal: Journal;
  readonly config: Config;
  readonly values: Parsed["values"];
  readonly words: readonly string[];
};

const ACTS: Readonly<Record<string, (doing: Doing) => Promise<number>>> = {
  list,
  add,
  run: async (doing) => {
    const id = idIn(doing);
    const job = await scheduleStore(doing.journal).cronJob(id);
    const defaults = await scheduleDefaults(doing.config)(job?.profile ?? null);
    return said(id, await scheduleStore(doing.journal).runCronJob(id, { by: BY }, defaults));
  },
  pause: (doing) => switched(doing, "pause"),
  resume: (doing) => switched(doing, "resume"),
  remove: (doing) => switched(doing, "remove"),
};

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  const [act = "list", ...words] = positionals;
  const doing = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined;
  if (!doing) throw new UsageError(`There is no “cron ${act}”: ${USAGE}`);
  await using journal = await openJournal(config);
  try {
    return await doing({ journal, config, values, words });
  } catch (error) {
    if (error instanceof ApiError) throw new UsageError(error.message);
    throw error;
  }
}

async function list({ journal, values }: Doing): Promise<number> {
  const jobs = await scheduleStore(journal).cronJobs();
  if (values["json"]) console.log(JSON.stringify(jobs));
  else if (jobs.length === 0) console.log(`No schedules. ${USAGE}`);
  else for (const job of jobs) console.log(lineOf(job));
  return 0;
}

function lineOf({ job_id, name, words, time_zone, state, next_at, last }: CronJobRecord): string {
  const next = next_at === null ? state : new Date(next_at * 1_000).toISOString();
  const when = state === "paused" ? "paused" : next;
  return [job_id, when, name, `${words} (${time_zone})`, last?.result ?? "never yet"].join("\t");
}

async function add({ journal, config, values, words }: Doing): Promise<number> {
  const [schedule, ...rest] = words;
  if (schedule === undefined) throw new UsageError(USAGE);
  const prompt = rest.join(" ");
  const wanted = {
    schedule,
    prompt,
    name: values["name"],
    time_zone: values["zone"] ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    deliver: values["deliver"],
    session: values["session"],
    overlap: values["overlap"],
    catch_up: values["catch-up"],
    model: values["model"],
    profile: values["profile"],
    skills: values["skill"],
    allow_risky: values["allow-risky"],
    workspace: config.workspace,
  };
  const job = requireChannel(config, parse(CreateCronJob, defined(wanted)));
  const { payload } = await scheduleStore(journal).createCronJob(job, BY);
  console.log((payload as { job_id: string }).job_id);
  return 0;
}

async function switched(doing: Doing, act: "pause" | "resume" | "remove"): Promise<number> {
  const id = idIn(doing);
  return said(id, await scheduleStore(doing.journal).switchCronJob(id, act, BY));
}

function idIn({ words }: Doing): string {
  const [id] = words;
  if (id === undefined) throw new UsageError(USAGE);
  return id;
}

function said(id: string, outcome: Outcome | undefined): number {
  if (!outcome) throw new UsageError(`There is no schedule ${id}.`, 1);
  console.log(outcome.run_id ?? outcome.safe_message);
  return outcome.accepted ? 0 : 1;
}
