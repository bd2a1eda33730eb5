// What a feature adds to every agent; the list is cli/runner-rooms.ts.
import type { Profile } from "../../home/profile.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RunState } from "../../state/run/state.ts";
import type { Tool } from "../tools/tool.ts";

export type AgentPart = {
  tool(profile: Profile): Tool;
  /** Its part of the system prompt; empty: it has nothing to say. */
  prompt(profile: Profile, run: { journal: Journal; state: RunState }): Promise<string>;
};
