// The answer to a command that was typed as a message: a run that was over when it was admitted (C20).
import type { RunRecord } from "../../api/records/records.ts";

type Ended = Pick<RunRecord, "fence" | "status" | "rewound_at">;

/** Nobody ever claimed it, it was left out from its beginning, and no model is told of it. */
export function isNotice({ fence, status, rewound_at }: Ended): boolean {
  return fence === 0 && status === "completed" && rewound_at !== null;
}
