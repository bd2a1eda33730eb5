// Skills as agents have them: a tool to read and write them, and their list in the prompt.
import type { AgentPart } from "../../../kernel/run/context/agent-part.ts";
import { skillsPrompt } from "../home/skills-prompt.ts";
import { createSkillTool } from "./tool.ts";

export const skillsPart: AgentPart = {
  tool: createSkillTool,
  async prompt(profile, { journal, state }) {
    return skillsPrompt(profile, await journal.homeFiles.sessionSkills(state.sessionId));
  },
};
