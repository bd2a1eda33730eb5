// What a model is told of its skills: names and what they are for. It reads the rest when it needs it.
import type { Profile } from "./profile.ts";
import { block, plainLine } from "./plain-text.ts";
import { openSkills } from "./skills.ts";

const MAX_CHARS = 8_192;
const MAX_LINE = 300;

/** Empty when there are none. Throws a ProfileError when the folder cannot be read. */
export async function skillsPrompt(profile: Pick<Profile, "directory">): Promise<string> {
  const usable = (await openSkills(profile).list()).filter(({ problem }) => problem === null);
  const lines: string[] = [];
  let chars = 0;
  for (const { name, description } of usable) {
    const line = plainLine(`- ${name}: ${description}`, MAX_LINE);
    chars += line.length + 1;
    if (chars > MAX_CHARS) {
      lines.push(`[and ${usable.length - lines.length} more: use the skill tool to list them]`);
      break;
    }
    lines.push(line);
  }
  if (lines.length === 0) return "";
  const about =
    'about="ways of working you can look up with the skill tool before a task they fit"';
  return block("skills", about, lines.join("\n"));
}
