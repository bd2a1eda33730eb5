// Assembles a run's agent: its profile's files, its tools and its prompt. A profile that cannot be read ends the run
// with an explanation (R15); an MCP server that cannot be reached costs only its tools.
import { ProfileError } from "../../home/profile/error.ts";
import type { Profile } from "../../home/profile.ts";
import type { Profiles } from "../../home/profiles.ts";
import type { Journal } from "../../journal/journal.ts";
import type { RunState } from "../../state/run/state.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Model } from "../models/model.ts";
import { AgentError, type Agent, type AgentOf } from "../permissions/policy.ts";
import type { AgentPart } from "./agent-part.ts";
import { systemPrompt } from "./system-prompt.ts";
import { createCompressTool } from "../tools/compress.ts";
import { profileTools } from "../tools/profile-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { namesTool, toolsetOf } from "../tools/toolset.ts";

export type AgentDeps = {
  readonly journal: Journal;
  readonly profiles: Profiles;
  readonly model: (name: string) => Model;
  readonly mcp: McpServers;
  /** Tools that depend on settings of this runner: those of the web. */
  readonly tools: readonly Tool[];
  readonly parts: readonly AgentPart[];
  /** Tools of features that are offered only at times: those of the browser, while a person has connected one. */
  readonly roomTools?: () => Promise<readonly Tool[]>;
  readonly titles: boolean;
  readonly logError: (message: string, error: unknown) => void;
};

export function agents(deps: AgentDeps): AgentOf {
  return async (state, signal) => {
    const profile = await orAgentError(() => deps.profiles.get(state.profile));
    const foreign = await foreignTools(deps, { profile, state, signal });
    const ofRooms = (await deps.roomTools?.()) ?? [];
    const all = [...ownTools(deps, profile), ...ofRooms, ...foreign.tools];
    const tools = chosen(all, profile, state);
    return {
      policy: policyOf(profile, deps),
      toolset: toolsetOf(tools),
      problems: foreign.problems,
      ...voiceOf(profile, deps),
    };
  };
}

async function orAgentError<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProfileError) throw new AgentError(error.message);
    throw error;
  }
}

function ownTools({ model, tools, parts }: AgentDeps, profile: Profile): Tool[] {
  return [...profileTools(profile, { tools, parts }), createCompressTool(model)];
}

/** What is wrong with a server is told in the run, once, and the run goes on without it. */
async function foreignTools(
  { mcp, logError }: AgentDeps,
  { profile, state, signal }: { profile: Profile; state: RunState; signal: AbortSignal },
): Promise<{ tools: readonly Tool[]; problems: readonly string[] }> {
  if (Object.keys(profile.mcp).length === 0) return { tools: [], problems: [] };
  const { workspace } = state;
  const servers = profile.mcp;
  const found = await mcp.tools({ workspace, profile: profile.name, servers, signal });
  for (const { server, message } of found.problems) {
    logError(`the server of foreign tools “${server}”`, message);
  }
  const problems = found.problems.map(({ server, message }) =>
    `Not everything of “${server}” can be used: ${message}`.slice(0, 1_000),
  );
  return { tools: found.tools, problems };
}

/** Both lists narrow: a run's toolsets never give it what its profile does not have. */
function chosen(tools: readonly Tool[], profile: Profile, { toolsets }: RunState): Tool[] {
  const inProfile = (name: string) => profile.tools === null || namesTool(profile.tools, name);
  const inRun = (name: string) => toolsets.length === 0 || namesTool(toolsets, name);
  return tools.filter(({ name, internal }) => internal || (inProfile(name) && inRun(name)));
}

function policyOf({ permissions, budget, approvalExpiresS }: Profile, { titles }: AgentDeps) {
  return { rules: permissions, budget, approvalExpiresS, titles };
}

function voiceOf(profile: Profile, { journal, parts }: AgentDeps): Pick<Agent, "system"> {
  const notes = (state: RunState) =>
    orAgentError(async () => {
      const emitted: string[] = [];
      for (const part of parts) emitted.push(await part.prompt(profile, { journal, state }));
      return emitted;
    });
  return {
    system: (state) =>
      systemPrompt(state, { journal, prompt: profile.prompt, notes: () => notes(state) }),
  };
}
