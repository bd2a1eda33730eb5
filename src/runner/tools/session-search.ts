// Finds what was said in earlier sessions. Of the run's own profile only: what one profile heard is
// never shown to another.
import { z } from "zod";
import type { Profile } from "../../home/profile.ts";
import { defineTool, type Tool } from "./tool.ts";

const LIMIT = 10;

export function createSessionSearchTool({ name: profile }: Pick<Profile, "name">): Tool {
  return defineTool({
    name: "session_search",
    description: "Search what was said in earlier sessions with this user, by words.",
    input: z.object({
      words: z.string().min(1).max(400).describe("Words that were used, in any order"),
      limit: z.int().min(1).max(50).optional(),
    }),
    risk: "none",
    replay: "safe",
    label: ({ words }) => `Search sessions: ${words}`,
    execute: async ({ words, limit = LIMIT }, { log }) => {
      const hits = await log.journal.searchMessages({ words, profile, limit });
      return { ok: true, result: { hits } };
    },
  });
}
