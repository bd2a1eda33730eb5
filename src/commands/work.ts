// `work`: a runner. Killing it at any moment is safe; that is the point of the whole program.
import type { Config, Parsed } from "../config.ts";
import type { Journal } from "../journal/journal.ts";
import { keepBallast } from "../runner/disk-space.ts";
import { resolveModel } from "../runner/models/resolve-model.ts";
import { runRunner, type RunnerOptions } from "../runner/runner.ts";
import { lifetime, tellReady } from "./lifetime.ts";
import { openJournal } from "./open-journal.ts";

export const flags = {};

export async function command({ config }: Parsed): Promise<number> {
  const signal = lifetime();
  await using journal = openJournal(config);
  keepBallast(config.home);
  tellReady("work");
  await runRunner(runnerOptions(config, journal), signal);
  return 0;
}

export function runnerOptions(config: Config, journal: Journal): RunnerOptions {
  return {
    journal,
    home: config.home,
    model: resolveModel({
      baseUrl: config.base_url,
      modelKey: config.modelKey,
      openAiKey: config.openAiKey,
      idleTimeoutMs: config.model_idle_timeout_ms,
      demoDelayMs: config.demo_delay_ms,
    }),
    leaseMs: config.lease_ms,
    maxRuns: config.max_runs,
    recovery: {
      resume: config.resume,
      maxAgeS: config.resume_max_age_s,
      maxAttempts: config.resume_attempts,
    },
    retry: {
      maxAttempts: config.model_attempts,
      baseMs: config.model_retry_base_ms,
      capMs: 30_000,
    },
    logError: (message, error) => console.error(`work: ${message}`, error),
  };
}
