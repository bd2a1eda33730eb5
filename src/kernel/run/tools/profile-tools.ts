// Every tool of our own that a profile's runs may be offered. Foreign tools (MCP) and the browser's come with a run.
import type { Profile } from "../../home/profile.ts";
import { createDelegateTool } from "./delegate.ts";
import { BUILT_IN } from "./registry.ts";
import { createSessionSearchTool } from "./session-search.ts";
import type { AgentPart } from "../context/agent-part.ts";
import type { Tool } from "./tool.ts";

/** Those that need settings, and those of features. */
type Given = { readonly tools: readonly Tool[]; readonly parts: readonly AgentPart[] };

export function profileTools(profile: Profile, { tools, parts }: Given): Tool[] {
  return [
    ...BUILT_IN,
    ...tools,
    createDelegateTool(profile.budget),
    ...parts.map((part) => part.tool(profile)),
    createSessionSearchTool(profile),
  ];
}
