// Looks up ways of working that were written down, and writes new ones down.
import { z } from "zod";
import { ProfileError } from "../../../kernel/home/profile/error.ts";
import type { Profile } from "../../../kernel/home/profile.ts";
import { openAuditedSkills } from "../home/audited-skills.ts";
import { openSkills, type SkillStore } from "../home/skills.ts";
import type { RunLog } from "../../../kernel/run/loop/run-log.ts";
import {
  defineTool,
  failure,
  textOutput,
  type Tool,
  type ToolResult,
} from "../../../kernel/run/tools/tool.ts";

const SkillInput = z.object({
  action: z.enum(["list", "view", "save"]),
  name: z.string().min(1).max(64).optional(),
  path: z.string().min(1).max(1_024).optional().describe("Another file of the skill, for view"),
  description: z.string().min(1).max(1_024).optional().describe("What it is for, for save"),
  content: z.string().min(1).max(32_768).optional().describe("The text in Markdown, for save"),
});
type SkillInput = z.infer<typeof SkillInput>;

export function createSkillTool(profile: Pick<Profile, "directory">): Tool {
  return defineTool({
    name: "skill",
    description:
      "List and read the skills you have (how to do certain tasks), and save what you worked out as a " +
      "skill for later sessions.",
    input: SkillInput,
    risk: "none",
    replay: "safe", // saving what is there already changes nothing
    inOrder: true,
    label: ({ action, name, path }) =>
      [`Skill: ${action}`, [name, path].filter(Boolean).join("/")].filter(Boolean).join(" "),
    execute: async (input, { log }) => {
      const { journal } = log;
      const off = await switchedOff(log);
      if (off(input.name ?? "") && input.action === "view") {
        return failure("switched_off", "A person switched this skill off for this session.");
      }
      const noted = openAuditedSkills(profile, {
        notes: journal.homeFiles,
        by: `run ${log.state.runId}`,
      });
      const plain = openSkills(profile);
      const list = async () => (await plain.list()).filter(({ name }) => !off(name));
      const store = { ...plain, list, save: noted.save };
      try {
        return await ACTIONS[input.action](store, input);
      } catch (error) {
        if (error instanceof ProfileError) return failure(error.code, error.short);
        throw error;
      }
    },
  });
}

async function switchedOff({ journal, state }: RunLog): Promise<(name: string) => boolean> {
  const skills = (await journal.homeFiles.sessionSkills(state.sessionId)) ?? {};
  return (name) => Object.hasOwn(skills, name) && skills[name] === "off";
}

const ACTIONS: Record<
  SkillInput["action"],
  (store: SkillStore, input: SkillInput) => Promise<ToolResult>
> = {
  list: async (store) => ({ ok: true, result: { skills: await store.list() } }),
  view: async (store, { name, path }) => {
    if (name === undefined) return missing("name");
    const { content, ...result } = await store.view(name, path);
    return { ok: true, result, output: textOutput(content) };
  },
  save: async (store, { name, description, content }) => {
    if (name === undefined) return missing("name");
    if (content === undefined) return missing("content");
    const draft = { name, content, ...(description !== undefined && { description }) };
    return { ok: true, result: await store.save(draft) };
  },
};

function missing(field: string): ToolResult {
  return failure("invalid_arguments", `This action needs “${field}”.`);
}
