// A position in a log: (epoch, log, seq). A cursor that does not fit is refused, never rounded:
// rounding is how a client silently misses or repeats text.
import { ApiError } from "./errors.ts";

export type Cursor = { readonly seq: number; readonly epoch: string | undefined };
export type LogHead = { readonly logId: string; readonly epoch: string; readonly seq: number };

export function formatCursor(logId: string, seq: number): string {
  return `${logId}:${seq}`;
}

/** Accepts `<seq>`, `<log>:<seq>` and `<epoch>/<log>:<seq>`; throws `cursor_invalid` otherwise. */
export function parseCursor(text: string, head: LogHead): Cursor {
  const match = /^(?:(?<epoch>[A-Za-z0-9]{1,64})\/)?(?:(?<log>.{1,200}):)?(?<seq>\d{1,15})$/.exec(
    text,
  );
  const groups = match?.groups;
  if (!groups?.["seq"]) throw invalid("is not a cursor", head);
  if (groups["log"] !== undefined && groups["log"] !== head.logId) {
    throw invalid("belongs to another log", head);
  }
  if (/^0\d/.test(groups["seq"])) throw invalid("belongs to another window", head);
  return { seq: Number(groups["seq"]), epoch: groups["epoch"] };
}

/** Throws unless reading may go on after `cursor`. */
export function checkCursor(cursor: Cursor, head: LogHead): void {
  if (cursor.epoch !== undefined && cursor.epoch !== head.epoch) {
    throw invalid("is of another epoch: older data was restored", head);
  }
  if (!Number.isSafeInteger(cursor.seq) || cursor.seq < 0) throw invalid("is negative", head);
  if (cursor.seq > head.seq) throw invalid("is beyond the head", head);
}

function invalid(why: string, head: LogHead): ApiError {
  return new ApiError("cursor_invalid", `The cursor ${why}. Reload from a snapshot.`, {
    epoch: head.epoch,
    head: head.seq,
    log: head.logId,
  });
}
