// Skills as agents have them: a tool to read and write them, and their list in the prompt.
import type { AgentPart } from "../../../kernel/run/context/agent-part.ts";
import { createSkillTool } from "./tool.ts";
import type { SkillState } from "../../../kernel/events/catalogue/lifecycle.ts";
import { parseFrontMatter } from "../../../kernel/home/front-matter.ts";
import type { Profile } from "../../../kernel/home/profile.ts";
import { block, bounded, plain, plainLine } from "../../../kernel/home/plain-text.ts";
import { openSkills, type Skill, type SkillStore } from "../home/skills.ts";

export const skillsPart: AgentPart = {
  tool: createSkillTool,
  async prompt(profile, { journal, state }) {
    return skillsPrompt(profile, await journal.homeFiles.sessionSkills(state.sessionId));
  },
};

// What a model is told of its skills: names and what they are for. It reads the rest when it needs it, except of
// those that a person loaded for the session: their whole text is told.
const MAX_CHARS = 8_192;
const MAX_LINE = 300;
const MAX_LOADED = 16_384; // of each, and
const MAX_ALL_LOADED = 49_152;

/** What a session does with skills it does not just offer. */
type SessionSkills = Readonly<Record<string, SkillState>>;

/** Empty when there are none. Throws a ProfileError when the folder cannot be read. */
export async function skillsPrompt(
  profile: Pick<Profile, "directory">,
  session: SessionSkills = {},
): Promise<string> {
  const store = openSkills(profile);
  const usable = (await store.list()).filter(({ problem }) => problem === null);
  const stateOf = ({ name }: Skill) => (Object.hasOwn(session, name) ? session[name] : undefined);
  const offered = offer(usable.filter((skill) => stateOf(skill) === undefined));
  const loaded = await load(
    store,
    usable.filter((skill) => stateOf(skill) === "loaded"),
  );
  return [offered, ...loaded].filter(Boolean).join("\n\n");
}

function offer(skills: readonly Skill[]): string {
  const lines: string[] = [];
  let chars = 0;
  for (const { name, description } of skills) {
    const line = plainLine(`- ${name}: ${description}`, MAX_LINE);
    chars += line.length + 1;
    if (chars > MAX_CHARS) {
      lines.push(`[and ${skills.length - lines.length} more: use the skill tool to list them]`);
      break;
    }
    lines.push(line);
  }
  if (lines.length === 0) return "";
  const about =
    'about="ways of working you can look up with the skill tool before a task they fit"';
  return block("skills", about, lines.join("\n"));
}

async function load(store: SkillStore, skills: readonly Skill[]): Promise<string[]> {
  const blocks: string[] = [];
  let room = MAX_ALL_LOADED;
  for (const { name } of skills) {
    const { body } = parseFrontMatter((await store.view(name)).content);
    const cut = "\n[too long: read the rest with the skill tool]";
    const text = bounded(plain(body).trim(), Math.min(MAX_LOADED, room), cut);
    room = Math.max(0, room - text.length);
    const about = `name="${name}" about="loaded for this session: work as it says where it fits"`;
    blocks.push(block("skill", about, text));
  }
  return blocks;
}
