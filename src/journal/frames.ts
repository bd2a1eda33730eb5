// Replaying a log in bulk: SQLite joins the frames, one checksum over all of them tells whether they
// are what was written, in order and complete, and the bytes go out as they are. Taking every event
// apart to check it made a replay twice as slow.
import { crc32 } from "node:zlib";
import { Corruption } from "./corruption.ts";
import type { Database } from "./database.ts";
import type { Frames } from "./journal.ts";

// The same bytes as frameOf() in src/protocol/frame.ts: otherwise no checksum would fit.
const JOINED = `
  SELECT count(*), CAST(group_concat(
    'id: ' || ?1 || ':' || seq || char(10) || 'data: ' || body || char(10, 10), '') AS BLOB)
  FROM (SELECT seq, body FROM events WHERE log_key = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4)`;
const WEIGHT = `
  SELECT sum(octet_length(body)) FROM (
    SELECT body FROM events WHERE log_key = ? AND seq > ? ORDER BY seq LIMIT ?)`;
const CHECKSUM = "SELECT checksum FROM events WHERE log_key = ? AND seq = ?";

/** Events differ a thousandfold in size: a page is as many as fit, and at least one. */
const MAX_PAGE_BYTES = 524_288;

export type FramedLog = {
  log_key: number;
  log_id: string;
  seq: number;
  checksum: number;
  ended_at: number | null;
};

export function readFramesOf(db: Database, log: FramedLog, after: number, most: number): Frames {
  const limit = fitting(db, log, after, most);
  const [row] = db.rows(JOINED, log.log_id, log.log_key, after, limit);
  const [count = 0, bytes] = (row ?? []) as [number?, Uint8Array?];
  const to = after + count;
  if (count < limit && to < log.seq) throw new Corruption(`events after seq ${to} are missing`);
  if (count === 0 || !bytes) {
    return { bytes: Buffer.alloc(0), count: 0, to: after, head: log.seq, ended: false };
  }
  const before = after === 0 ? 0 : checksumAt(db, log, after);
  if (crc32(bytes, before) !== checksumAt(db, log, to)) {
    throw new Corruption(`bytes between seq ${after + 1} and ${to} were changed`);
  }
  const ended = log.ended_at !== null && to === log.seq;
  const { buffer, byteOffset, byteLength } = bytes;
  const sent = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  return { bytes: sent, count, to, head: Math.max(log.seq, to), ended };
}

function fitting(db: Database, { log_key }: FramedLog, after: number, most: number): number {
  for (let limit = most; limit > 1; limit = Math.floor(limit / 4)) {
    const [row] = db.rows(WEIGHT, log_key, after, limit);
    if (((row?.[0] as number | null | undefined) ?? 0) <= MAX_PAGE_BYTES) return limit;
  }
  return 1;
}

function checksumAt(db: Database, { log_key, seq, checksum }: FramedLog, at: number): number {
  if (at === seq) return checksum;
  const [row] = db.rows(CHECKSUM, log_key, at);
  return (row?.[0] as number | undefined) ?? -1; // a hole: nothing has that checksum
}
