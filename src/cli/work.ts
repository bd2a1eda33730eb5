// `work`: a runner. Killing it at any moment is safe.
import type { Config, Parsed } from "../config.ts";
import { openLog } from "../kernel/home/log.ts";
import { openProfiles } from "../kernel/home/profiles.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import { agents } from "../kernel/run/context/agents.ts";
import { keepBallast } from "../kernel/run/checkpoints/disk-space.ts";
import { lazyMcp } from "../kernel/run/mcp/lazy-mcp.ts";
import { resolveModel } from "../kernel/run/models/resolve-model.ts";
import { runRunner, type RunnerOptions } from "../kernel/run/loop/runner.ts";
import { toolHosts, type ToolHosts } from "../kernel/workspace/client/tool-hosts.ts";
import { outputRooms } from "../kernel/run/tools/output-room.ts";
import { runnerLifetime, announceReady } from "./lifetime.ts";
import { modelSettings } from "./settings/model-settings.ts";
import { observed } from "./observed.ts";
import { openJournal } from "./open-journal.ts";
import { ensureWorkspace } from "./workspace-folder.ts";
import type { ClaimObserver } from "./beside-runs.ts";
import { AGENT_PARTS, BESIDE_RUNS, CLAIM_OBSERVERS, RUNNER_TOOLS } from "./runner-rooms.ts";
import { webTools } from "./web-tools.ts";

export const flags = {};

export async function command({ config }: Parsed): Promise<number> {
  await work(config, runnerLifetime());
  return 0;
}

/** Until it is told to stop, or to drain. `name`: see `openJournal`. */
export async function work(
  config: Config,
  { stop, drain, name }: ReturnType<typeof runnerLifetime> & { name?: string },
): Promise<void> {
  const signal = AbortSignal.any([stop, drain]);
  const opening = { patient: "always", signal, windows: false, name } as const;
  await using journal = await openJournal(config, opening);
  keepBallast(config.home);
  const options = runnerOptions(config, journal);
  await using observers = new AsyncDisposableStack();
  const onClaim = await observeClaims(observers, { config, journal, logError: options.logError });
  announceReady("work");
  const over = new AbortController(); // of the runner, however it ends
  const until = AbortSignal.any([signal, over.signal]);
  const beside = BESIDE_RUNS.map((keep) => keep({ config, journal, signal: until }));
  try {
    await runRunner({ ...options, ...(onClaim && { onClaim }) }, stop, drain);
  } finally {
    over.abort();
    await Promise.all(beside);
  }
}

export function runnerOptions(config: Config, plain: Journal): RunnerOptions {
  ensureWorkspace(config);
  const log = openLog({ home: config.home, kind: "work", redact: plain.redactor?.text });
  const journal = observed(plain, log);
  const logError = (message: string, error: unknown) => {
    console.error(`work: ${message}`, error);
    log.write("error", message, { error });
  };
  const model = resolveModel(modelSettings(config));
  const { tool_memory_mb: memoryMb, tool_processes: processes } = config;
  return {
    journal,
    home: config.home,
    model,
    hosts: (news, isHeld) =>
      toolHosts({
        home: config.home,
        sandbox: config.sandbox,
        limits: { memoryMb, processes },
        readable: config.readable_paths,
        idle: { isHeld },
        ...news,
      }),
    agents: (hosts) => agentsOn(config, { hosts, journal, model, logError }),
    leaseMs: config.lease_ms,
    maxRuns: config.max_runs,
    output: outputRooms({
      callBytes: config.tool_output_mb << 20,
      sessionBytes: config.session_output_mb * (1 << 20),
    }),
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

/** Undefined: nobody wants to hear of claims. */
async function observeClaims(
  stack: AsyncDisposableStack,
  runner: Parameters<ClaimObserver>[0],
): Promise<RunnerOptions["onClaim"]> {
  const started = await Promise.all(CLAIM_OBSERVERS.map((start) => start(runner)));
  const observers = started.filter((observer) => observer !== undefined);
  for (const observer of observers) stack.use(observer);
  if (observers.length === 0) return undefined;
  return async (runId) => void (await Promise.all(observers.map(({ begin }) => begin(runId))));
}

type Deps = Pick<RunnerOptions, "journal" | "model" | "logError"> & { hosts: ToolHosts };

function agentsOn(config: Config, { hosts, ...deps }: Deps): ReturnType<RunnerOptions["agents"]> {
  const mcp = lazyMcp({
    open: ({ workspace, ...grants }, request) =>
      hosts.forWorkspace(workspace, grants).open(request),
    secrets: config.secret,
  });
  const tools = webTools(config);
  const asked = { parts: AGENT_PARTS, titles: config.titles };
  const profiles = openProfiles(config.home);
  const opened = RUNNER_TOOLS.map((open) => open({ config, ...deps }));
  const roomTools = async () => (await Promise.all(opened.map((room) => room.tools()))).flat();
  return {
    of: agents({ ...deps, ...asked, profiles, mcp, tools, roomTools }),
    async [Symbol.asyncDispose]() {
      await Promise.all([mcp, ...opened].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}
