// Background commands, as the journal knows them.
import { z } from "zod";
import { RunId, SessionId } from "../../events/ids.ts";

export const ProcessSummary = z.object({
  process_id: z.string(),
  run_id: RunId,
  session_id: SessionId,
  command: z.string(),
  status: z.enum(["running", "exited"]),
  exit_code: z.int().nullable(),
  started_at: z.number().describe("unix seconds"),
  output_bytes: z.int().nonnegative().describe("how much it printed in all"),
});
export type ProcessSummary = Readonly<z.infer<typeof ProcessSummary>>;

export const ProcessesView = z.object({
  processes: z.array(ProcessSummary).describe("the newest first"),
  truncated: z.boolean().describe("there are more runs than were looked at"),
});
export type ProcessesView = Readonly<z.infer<typeof ProcessesView>>;

export const ProcessPiece = z.object({
  offset: z
    .int()
    .nonnegative()
    .describe("bytes it had printed before; more than the last `end`: a gap"),
  end: z.int().nonnegative().describe("bytes it had printed with this"),
  text: z.string(),
});
export type ProcessPiece = Readonly<z.infer<typeof ProcessPiece>>;

export const ProcessLogView = z.object({
  process: ProcessSummary,
  pieces: z.array(ProcessPiece),
  next_offset: z.int().nonnegative().describe("where to go on reading"),
  more: z.boolean().describe("there is more already"),
});
export type ProcessLogView = Readonly<z.infer<typeof ProcessLogView>>;
