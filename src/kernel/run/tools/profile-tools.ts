// Every tool of our own that a profile's runs may be offered. Foreign tools (MCP) and the browser's come with a run.
import type { Profile } from "../../home/profile.ts";
import { createDelegateTool } from "./delegate.ts";
import { BUILT_IN } from "./registry.ts";
import type { AgentPart } from "../context/agent-part.ts";
import { type Tool, defineTool } from "./tool.ts";
import { z } from "zod";
import { HitKind } from "../../api/records/search.ts";

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

// Finds what was said in earlier sessions. Of the run's own profile only: what one profile heard is
// never shown to another.
const LIMIT = 10;

export function createSessionSearchTool({ name: profile }: Pick<Profile, "name">): Tool {
  return defineTool({
    name: "session_search",
    description:
      "Search what was said and done in earlier sessions with this user, by words: messages, tool calls, files, errors.",
    input: z.object({
      words: z
        .string()
        .min(1)
        .max(400)
        .describe('Words in any order; "a phrase"; -word for what must not be there'),
      kind: HitKind.optional().describe("Only messages, tool calls and answers, files or errors"),
      since: z.iso.date().optional().describe("Only from this day on, e.g. 2026-01-31"),
      limit: z.int().min(1).max(50).optional(),
    }),
    risk: "none",
    replay: "safe",
    label: ({ words }) => `Search sessions: ${words}`,
    execute: async ({ words, kind, since, limit = LIMIT }, { log }) => {
      const { hits, next } = await log.journal.reads.search({
        q: words,
        profile,
        limit,
        ...(kind !== undefined && { kind: [kind] }),
        ...(since !== undefined && { since: Date.parse(since) / 1_000 }),
      });
      const plain = hits.map(({ marks: _marks, more: _more, ...hit }) => hit);
      return { ok: true, result: { hits: plain, more: next !== null } };
    },
  });
}
