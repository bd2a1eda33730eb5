// Where a stream starts: Last-Event-ID, ?after_seq= or ?cursor=, checked against the head and epoch.
import type { FastifyRequest } from "fastify";
import type { CursorQuery } from "../../api/cursor-query.ts";
import { checkCursor, parseCursor, type Cursor, type LogHead } from "../../events/cursor.ts";

export function cursorOf({ headers }: FastifyRequest, query: CursorQuery, head: LogHead): number {
  const header = headers["last-event-id"];
  // The header first: an EventSource that comes back repeats the address it was opened with.
  const text = (Array.isArray(header) ? header[0] : header) ?? query.after_seq ?? query.cursor;
  const parsed: Cursor =
    text === undefined ? { seq: 0, epoch: undefined } : parseCursor(asText(text), head);
  const epoch = query.epoch === undefined ? undefined : asText(query.epoch);
  const cursor = { ...parsed, epoch: parsed.epoch ?? epoch };
  checkCursor(cursor, head);
  return cursor.seq;
}

/** A parameter that was given twice is an array: its JSON is no cursor, so it is refused like any other bad one. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
