// What may be asked of git, as queries spell it.
import { z } from "zod";
import { integerParam } from "../integer-param.ts";
import { WorkspacePath } from "./workspace-params.ts";

const Below = WorkspacePath.refine((path) => !path.startsWith("/"), "relative to the workspace");

export const GitDiffQuery = z
  .object({
    of: z.enum(["worktree", "index", "commit"]).optional(),
    commit: z
      .string()
      .regex(/^[0-9A-Fa-f]{4,64}$/, "4 to 64 hexadecimal digits")
      .optional(),
    path: Below.optional(),
  })
  .transform(({ of, ...rest }) => ({ of: of ?? (rest.commit ? "commit" : "worktree"), ...rest }))
  .refine(({ of, commit }) => (of === "commit") === (commit !== undefined), {
    path: ["commit"],
    message: "belongs to `of=commit`, and only to that",
  });

export const GitLogQuery = z.object({
  limit: integerParam(1, 200).default(50),
  offset: integerParam(0, 1_000_000).default(0),
  path: Below.optional(),
});
