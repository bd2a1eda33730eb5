// The tools a profile's runs are offered, for windows that list them. Read when somebody asks: `serve` runs none.
import type { Config } from "../config.ts";
import type { Profiles } from "../kernel/home/profiles.ts";
import { namesTool, toolsetOf } from "../kernel/run/tools/toolset.ts";
import { profileTools } from "../kernel/run/tools/profile-tools.ts";
import type { ListedTool } from "../kernel/server/routes/status.ts";
import { AGENT_PARTS } from "./runner-rooms.ts";
import { webTools } from "./web-tools.ts";

export async function listedTools(
  config: Config,
  profiles: Profiles,
  name: string,
): Promise<ListedTool[]> {
  const profile = await profiles.get(name);
  const { specs } = toolsetOf(
    profileTools(profile, { tools: webTools(config), parts: AGENT_PARTS }),
  );
  return specs.map((spec) => ({
    name: spec.name,
    description: spec.description,
    parameters: spec.inputSchema,
    enabled: profile.tools === null || namesTool(profile.tools, spec.name),
  }));
}
