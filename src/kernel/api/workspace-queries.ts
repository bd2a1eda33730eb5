// The queries about a workspace and git.
import { z } from "zod";
import { integerParam, LIMIT } from "./integer-param.ts";

const PATH = "Relative to the session's workspace.";
export const WorkspacePath = z
  .string()
  .min(1)
  .max(4_096)
  .regex(/^[^\0]*$/, "holds a NUL character");
const Below = WorkspacePath.refine((path) => !path.startsWith("/"), "relative to the workspace");

const flag = z.enum(["0", "1", "true", "false"]).default("0");
export const isSet = (value: z.output<typeof flag>) => value === "1" || value === "true";
/** Changes by later events are reversed. */
const until = integerParam(0).optional().describe("Only what happened up to this `session_seq`.");

export const FilesQuery = z.object({
  path: WorkspacePath.default(".").describe(PATH),
  depth: integerParam(1, 6).default(1).describe("How many levels, at most 6; 1 when left out."),
  hidden: flag.describe("`1`: with names that begin with a dot."),
  until,
});
export const FileQuery = z.object({
  path: WorkspacePath.describe(PATH),
  first_line: integerParam(1).default(1).describe("Its number; 1 when left out."),
  lines: integerParam(1, 2_000).default(500).describe("How many lines, at most 2000."),
  until,
});
export const FindQuery = z.object({
  q: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^[^\0]*$/, "holds a NUL character")
    .describe("What to look for."),
  glob: z.string().min(1).max(500).optional().describe("Only such files, e.g. `*.ts` or `src/**`."),
  regex: flag.describe("`1`: what to look for is a regular expression."),
  in: z
    .enum(["names", "contents"])
    .optional()
    .describe("`names` or `contents`; both when left out."),
});

export const GitDiffQuery = z
  .object({
    of: z
      .enum(["worktree", "index", "commit"])
      .optional()
      .describe("`worktree` (what is not staged; when left out), `index` (what is), or `commit`."),
    commit: z
      .string()
      .regex(/^[0-9A-Fa-f]{4,64}$/, "4 to 64 hexadecimal digits")
      .optional()
      .describe("Its hash, or the beginning of it."),
    path: Below.optional().describe(PATH),
  })
  .transform(({ of, ...rest }) => ({ of: of ?? (rest.commit ? "commit" : "worktree"), ...rest }))
  .refine(({ of, commit }) => (of === "commit") === (commit !== undefined), {
    path: ["commit"],
    message: "belongs to `of=commit`, and only to that",
  });

export const GitLogQuery = z.object({
  limit: integerParam(1, 200).default(50).describe(LIMIT),
  offset: integerParam(0, 1_000_000).default(0).describe("How many to leave out."),
  path: Below.optional().describe(PATH),
});
