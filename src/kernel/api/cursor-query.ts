// Where a stream goes on: checked against the head of its log (server/routes/cursor.ts). Any value passes the schema, so
// that a cursor given twice is refused like every other cursor that does not fit: with 409, the epoch and the head.
import { z } from "zod";

const text = (description: string) => z.unknown().optional().meta({ type: "string", description });

const CursorQuery = z.object({
  after_seq: text("Go on after this number."),
  cursor: text("Go on after this cursor: `<seq>`, `<log>:<seq>` or `<epoch>/<log>:<seq>`."),
  epoch: text("The epoch the cursor is of; another one is `cursor_invalid`."),
});
export type CursorQuery = z.output<typeof CursorQuery>;

export const CURSOR = { query: CursorQuery, headers: ["Last-Event-ID"] } as const;
