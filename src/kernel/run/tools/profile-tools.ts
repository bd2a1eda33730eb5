// Every tool of our own that a profile's runs may be offered. Foreign tools (MCP) and the browser's come with a run.
import type { Profile } from "../../home/profile.ts";
import { createDelegateTool } from "./delegate.ts";
import { createMemoryTool } from "../../../features/memory/runner/tool.ts";
import { BUILT_IN } from "./registry.ts";
import { createSessionSearchTool } from "./session-search.ts";
import { createSkillTool } from "../../../features/skills/runner/tool.ts";
import type { Tool } from "./tool.ts";

/** `given`: those that need settings. */
export function profileTools(profile: Profile, given: readonly Tool[]): Tool[] {
  return [
    ...BUILT_IN,
    ...given,
    createDelegateTool(profile.budget),
    createMemoryTool(profile),
    createSkillTool(profile),
    createSessionSearchTool(profile),
  ];
}
