// The query of a stream's cursor; server/routes/cursor.ts checks it against the head of the log. Any value passes the
// schema, so that a repeated cursor is refused like every other invalid one: with 409, the epoch and the head.
import { z } from "zod";

const text = (description: string) => z.unknown().optional().meta({ type: "string", description });

const CursorQuery = z.object({
  after_seq: text("Go on after this number."),
  cursor: text("Go on after this cursor: `<seq>`, `<log>:<seq>` or `<epoch>/<log>:<seq>`."),
  epoch: text("The epoch the cursor is of; another one is `cursor_invalid`."),
});
export type CursorQuery = z.output<typeof CursorQuery>;

export const CURSOR = { query: CursorQuery, headers: ["Last-Event-ID"] } as const;
