// Checks drafts before an append is queued, for every database: an invalid draft is a bug of its writer.
import { draftProblem } from "../events/events.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Execution } from "./journal.ts";

export function checkedAppend(commits: GroupCommit): Execution["append"] {
  return async (claim, drafts, options) => {
    for (const [index, draft] of drafts.entries()) {
      const last = index === drafts.length - 1;
      const problem =
        draft.type === "done" && !last ? "nothing may follow the end" : draftProblem(draft);
      if (problem) throw new TypeError(problem);
    }
    return commits.append(claim, drafts, options);
  };
}
