// Keeps schedules in a runner's process.
import type { BesideRuns } from "../../../cli/beside-runs.ts";
import type { Config } from "../../../config.ts";
import { openLog } from "../../../kernel/home/log.ts";
import { openProfiles } from "../../../kernel/home/profiles.ts";
import { onVolume } from "../../../kernel/events/workspace-place.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { keepSchedules, type SchedulerOptions } from "../runner/scheduler.ts";

export const schedulesBeside: BesideRuns = ({ config, journal, signal }) =>
  keepSchedules(schedulerOptions(config, journal), signal);

function schedulerOptions(config: Config, journal: Journal): SchedulerOptions {
  const log = openLog({ home: config.home, kind: "cron", redact: journal.redactor?.text });
  return {
    journal,
    defaults: scheduleDefaults(config),
    decided: ({ by: _by, result, ...tick }) =>
      log.write("info", `a time was ${result}`, { fields: tick }),
    logError: (message, error) => {
      console.error(`work: ${message}`, error);
      log.write("error", message, { error });
    },
  };
}

/** What a scheduled run begins with: as a session that somebody opens here. */
export function scheduleDefaults(config: Config): SchedulerOptions["defaults"] {
  const profiles = openProfiles(config.home);
  const workspace = onVolume(config.workspace, config.volumes);
  return async (name) => {
    const profile = name ?? config.profile;
    const preferred = (await profiles.get(profile).catch(() => null))?.model ?? null;
    return { model: preferred ?? config.model, workspace, profile };
  };
}
