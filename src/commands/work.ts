// `work`: a runner. Killing it at any moment is safe; that is the point of the whole program.
import type { Config, Parsed } from "../config.ts";
import { openProfiles } from "../home/profiles.ts";
import type { Journal } from "../journal/journal.ts";
import { agents } from "../runner/agents.ts";
import { keepBallast } from "../runner/disk-space.ts";
import { lazyMcp } from "../runner/mcp/lazy-mcp.ts";
import { resolveModel } from "../runner/models/resolve-model.ts";
import { runRunner, type RunnerOptions } from "../runner/runner.ts";
import { toolHosts, type ToolHosts } from "../runner/tool-hosts.ts";
import { createWebFetch } from "../runner/tools/web-fetch.ts";
import { createWebSearch } from "../runner/tools/web-search.ts";
import { runnerLifetime, tellReady } from "./lifetime.ts";
import { modelSettings } from "./model-settings.ts";
import { openJournal } from "./open-journal.ts";

export const flags = {};

export async function command({ config }: Parsed): Promise<number> {
  const { stop, drain } = runnerLifetime();
  const signal = AbortSignal.any([stop, drain]);
  await using journal = await openJournal(config, { patient: "always", signal, windows: false });
  keepBallast(config.home);
  tellReady("work");
  await runRunner(runnerOptions(config, journal), stop, drain);
  return 0;
}

export function runnerOptions(config: Config, journal: Journal): RunnerOptions {
  const logError = (message: string, error: unknown) => console.error(`work: ${message}`, error);
  const model = resolveModel(modelSettings(config));
  const { tool_memory_mb: memoryMb, tool_processes: processes } = config;
  return {
    journal,
    home: config.home,
    model,
    hosts: (news) =>
      toolHosts({
        home: config.home,
        sandbox: config.sandbox,
        limits: { memoryMb, processes },
        readable: config.readable_paths,
        ...news,
      }),
    agents: (hosts) => agentsOn(config, { hosts, journal, model, logError }),
    leaseMs: config.lease_ms,
    maxRuns: config.max_runs,
    volumes: config.volumes,
    drainMs: config.drain_ms,
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
    logError,
  };
}

type Means = Pick<RunnerOptions, "journal" | "model" | "logError"> & { hosts: ToolHosts };

function agentsOn(config: Config, { hosts, ...means }: Means): ReturnType<RunnerOptions["agents"]> {
  const mcp = lazyMcp({
    open: ({ workspace, network }, request) =>
      hosts.forWorkspace(workspace, { network }).open(request),
    secrets: config.secret,
  });
  const { web_search_url: endpoint, allow_private_hosts: allowPrivateHosts } = config;
  const key = config.keys.webSearch;
  const tools = [
    createWebFetch({ allowPrivateHosts }),
    createWebSearch({ endpoint, ...(key !== undefined && { key }) }),
  ];
  const profiles = openProfiles(config.home);
  return {
    of: agents({ ...means, profiles, mcp, tools, titles: config.titles }),
    [Symbol.asyncDispose]: () => mcp[Symbol.asyncDispose](),
  };
}
