// What features add to a runner. A feature that is deleted loses its lines here.
import type { AgentPart } from "../kernel/run/context/agent-part.ts";
import { browserRunnerTools } from "../features/browser/cli/runner-tools.ts";
import { memoryPart } from "../features/memory/runner/part.ts";
import { schedulesBeside } from "../features/schedules/cli/beside-runs.ts";
import { skillsPart } from "../features/skills/runner/part.ts";
import { startTelemetry } from "../features/telemetry/cli.ts";
import type { BesideRuns, ClaimObserver, RunnerTools } from "./beside-runs.ts";

/** What every agent has, in the order in which agents are told of it. */
export const AGENT_PARTS: readonly AgentPart[] = [memoryPart, skillsPart];

export const RUNNER_TOOLS: readonly RunnerTools[] = [browserRunnerTools];

/** What a runner does beside its runs, for as long as it lives. */
export const BESIDE_RUNS: readonly BesideRuns[] = [schedulesBeside];

export const CLAIM_OBSERVERS: readonly ClaimObserver[] = [startTelemetry];
