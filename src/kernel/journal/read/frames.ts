// Bulk replay of a log: the database joins the frames, one checksum over all of them proves that they are unchanged, in
// order and complete, and the bytes are sent as they are. Checking each event separately made a replay twice as slow.
import { crc32 } from "node:zlib";
import { Corruption } from "../sqlite/corruption.ts";
import type { Frames } from "../journal.ts";
import { cellsOf, integer } from "../rows.ts";
import type { Sql } from "../sql.ts";

const MARK = "SELECT checksum, chars FROM events WHERE log_key = ? AND seq = ?";
const MARK_CELLS = cellsOf("events", [integer, integer], Corruption);
/** Events differ a thousandfold in size: a page holds as many as fit, and at least one. */
const MAX_PAGE_CHARS = 524_288;

/** The checksum and the length of all frames up to a position of a log. */
type Mark = { readonly seq: number; readonly checksum: number; readonly chars: number };
export type FramedLog = Mark & {
  readonly log_key: number;
  readonly log_id: string;
  readonly ended_at: number | null;
};

/** `joined` must produce the same bytes as frameOf() in src/kernel/events/frame.ts, or no checksum matches. */
export type Framing = { readonly sql: Sql; readonly joined: string };

export async function readFramesOf(
  { sql, joined }: Framing,
  log: FramedLog,
  after: number,
  most: number,
): Promise<Frames> {
  if (after >= log.seq)
    return { bytes: Buffer.alloc(0), count: 0, to: after, head: log.seq, ended: false };
  const from = await markAt(sql, log, after);
  const to = await pageEnd(sql, log, from, most);
  const [row] = await sql.rows(joined, `id: ${log.log_id}:`, log.log_key, after, to.seq);
  const [count, found] = row ?? [];
  const bytes = typeof found === "string" ? Buffer.from(found) : found;
  const expected = to.seq - after;
  if (count !== expected || !(bytes instanceof Uint8Array))
    throw new Corruption(`events after seq ${after} are missing`);
  if (crc32(bytes, from.checksum) !== to.checksum) {
    throw new Corruption(`bytes between seq ${after + 1} and ${to.seq} were changed`);
  }
  const { buffer, byteOffset, byteLength } = bytes;
  const sent = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  const ended = log.ended_at !== null && to.seq === log.seq;
  return { bytes: sent, count: expected, to: to.seq, head: log.seq, ended };
}

async function pageEnd(sql: Sql, log: FramedLog, from: Mark, most: number): Promise<Mark> {
  for (let count = Math.min(most, log.seq - from.seq); ; count = Math.ceil(count / 4)) {
    const mark = await markAt(sql, log, from.seq + count);
    if (count === 1 || mark.chars - from.chars <= MAX_PAGE_CHARS) return mark;
  }
}

async function markAt(sql: Sql, log: FramedLog, seq: number): Promise<Mark> {
  if (seq === 0) return { seq, checksum: 0, chars: 0 };
  if (seq === log.seq) return log;
  const [mark] = await MARK_CELLS.all(sql, MARK, log.log_key, seq);
  if (!mark) throw new Corruption(`the event at seq ${seq} is missing`);
  return { seq, checksum: mark[0], chars: mark[1] };
}
