// The query of a stream's cursor; server/routes/cursor.ts checks it against the head of the log.
import { z } from "zod";

const CursorQuery = z.object({
  after_seq: z.string().optional().describe("Go on after this number."),
  cursor: z
    .string()
    .optional()
    .describe("Go on after this cursor: `<seq>`, `<log>:<seq>` or `<epoch>/<log>:<seq>`."),
  epoch: z
    .string()
    .optional()
    .describe("The epoch the cursor is of; another one is `cursor_invalid`."),
});
export type CursorQuery = z.output<typeof CursorQuery>;

export const CURSOR = { query: CursorQuery, headers: ["Last-Event-ID"] } as const;
