// What features add to a runner. A feature that is deleted loses its lines here.
import type { AgentPart } from "../kernel/run/context/agent-part.ts";
import { memoryPart } from "../features/memory/runner/part.ts";
import { schedulesBeside } from "../features/schedules/cli/beside-runs.ts";
import { skillsPart } from "../features/skills/runner/part.ts";
import type { BesideRuns } from "./beside-runs.ts";

/** What every agent has, in the order in which agents are told of it. */
export const AGENT_PARTS: readonly AgentPart[] = [memoryPart, skillsPart];

/** What a runner does beside its runs, for as long as it lives. */
export const BESIDE_RUNS: readonly BesideRuns[] = [schedulesBeside];
