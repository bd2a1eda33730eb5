// What features add to every agent, in the order in which agents are told of it. A feature that is deleted loses its
// line here.
import type { AgentPart } from "../kernel/run/context/agent-part.ts";
import { memoryPart } from "../features/memory/runner/part.ts";
import { skillsPart } from "../features/skills/runner/part.ts";

export const AGENT_PARTS: readonly AgentPart[] = [memoryPart, skillsPart];
