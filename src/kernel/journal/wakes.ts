// Wake-ups: hints to read, made from what was appended, and their encoding as a line between processes.
import type { Appended } from "./append.ts";
import type { Wake } from "./journal.ts";

export function wakeOf({ head, work }: Appended): Wake {
  const { log_id, seq, session_id, session_seq } = head;
  return { logId: log_id, seq, sessionId: session_id, sessionSeq: session_seq, work };
}

/** A wake-up as one line of text. */
export function formatWake({ logId, seq, sessionId, sessionSeq, work }: Wake): string {
  return `${logId} ${seq} ${sessionId} ${sessionSeq} ${Number(work)}`;
}

export function parseWake(line: string): Wake | undefined {
  const [logId, seq, sessionId, sessionSeq, work] = line.split(" ");
  if (!logId || !sessionId) return undefined;
  const at = { seq: Number(seq), sessionSeq: Number(sessionSeq) };
  return { logId, sessionId, ...at, work: work !== "0" };
}
