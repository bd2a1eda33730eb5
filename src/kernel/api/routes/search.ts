// The search endpoint.
import { z } from "zod";
import { ProjectId, SessionId } from "../../events/ids.ts";
import { get } from "../endpoint.ts";
import { integerParam, LIMIT } from "../integer-param.ts";
import { HitRole, SearchView } from "../records/search.ts";

const Seconds = z.string().regex(/^\d{1,12}(\.\d{1,6})?$/, "Unix seconds");
const Name = z.string().min(1).max(1_000);

/** The filters that every window supports. */
export const SearchFilters = z.object({
  kind: z
    .string()
    .max(100)
    .optional()
    .describe("`message`, `tool`, `file`, `error`, with commas between."),
  role: HitRole.optional().describe("`user`, `assistant`, `tool` or `system`."),
  tool: Name.max(200).optional().describe("Only calls of this tool."),
  session: SessionId.optional().describe("Only in this session."),
  profile: Name.max(200).optional().describe("Whose conversations; everyone's when left out."),
  workspace: Name.optional().describe("Only runs in this workspace."),
  project: ProjectId.optional().describe("Only sessions of this project."),
  since: Seconds.optional().describe("Only what happened at or after this time, in unix seconds."),
  until: Seconds.optional().describe("Only what happened up to these Unix seconds."),
  group: z.enum(["session"]).optional().describe("`session`: of each session the best hit."),
  cursor: z
    .string()
    .regex(/^-?\d{1,15}\.\d{1,4}$/, "`next` of the page before")
    .optional()
    .describe("Go on after this cursor: `next` of the page before."),
});
export type SearchFilters = z.output<typeof SearchFilters>;
const SearchQuery = z.object({
  q: z
    .string()
    .max(1_000)
    .describe(
      'What to look for: words in any order, the last maybe half a word; "a phrase"; -not.',
    ),
  ...SearchFilters.shape,
  limit: integerParam(0, 999).default(20).describe(LIMIT),
});

export const searchApi = {
  search: get("/api/search", {
    tag: "sessions",
    summary:
      "Find what was said, what tools did, files and errors: the newest hits, the best first.",
    response: SearchView,
    query: SearchQuery,
    errors: ["invalid_request"],
  }),
};
