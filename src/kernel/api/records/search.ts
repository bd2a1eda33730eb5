// The query and the answer of a search. A hit leads to its event: /s/<session>/r/<run>?seq=<seq>.
import { z } from "zod";
import { RunId, SessionId } from "../../events/ids.ts";

export const HIT_KINDS = ["message", "tool", "file", "error"] as const;
export const HitKind = z.enum(HIT_KINDS);
export type HitKind = z.infer<typeof HitKind>;
export const HIT_ROLES = ["user", "assistant", "tool", "system"] as const;
export const HitRole = z.enum(HIT_ROLES);
export type HitRole = z.infer<typeof HitRole>;

export const SearchHit = z.object({
  session_id: SessionId,
  run_id: RunId,
  seq: z.int().positive().describe("of the event, in its run"),
  kind: HitKind.describe(
    "what was said, a tool's arguments or answer, changed files, or what went wrong",
  ),
  role: HitRole,
  tool: z.string().nullable(),
  title: z.string().describe("of the session"),
  snippet: z.string().describe("plain text, never markup"),
  marks: z
    .array(z.tuple([z.int().nonnegative(), z.int().positive()]))
    .describe("from and to of what was looked for in the snippet, in UTF-16 units"),
  created_at: z.number().describe("Unix seconds"),
  more: z.int().nonnegative().describe("further hits of the session that this one stands for"),
});
export type SearchHit = Readonly<z.infer<typeof SearchHit>>;

export const SearchView = z.object({
  hits: z.array(SearchHit).describe("the best first"),
  next: z.string().nullable().describe("the `cursor` of what comes after; null: that is all"),
  indexing: z.boolean().describe("older sessions are still being looked through"),
});
export type SearchView = Readonly<z.infer<typeof SearchView>>;
