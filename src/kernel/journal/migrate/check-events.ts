// Checks events while they are copied: each hash, each predecessor, each position, the running checksums and each log's
// head. The source and the target are both checked, and must give the same digest.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { frameOf } from "../../events/frame.ts";
import { GENESIS, verify } from "../hash-chain.ts";
import type { Problem } from "../quarantine.ts";
import { cellsOf, integer, text } from "../rows.ts";
import type { Cells, Snapshot } from "./ends.ts";

export const EVENT_COLUMNS = [
  "log_key",
  "seq",
  "session_key",
  "session_seq",
  "checksum",
  "chars",
  "body",
] as const;
/** Log after log. */
export const EVENTS = `SELECT ${EVENT_COLUMNS.join(", ")} FROM events ORDER BY log_key, seq`;

const HEADS = `SELECT log_key, log_id, session_key, session_id, l.seq, l.hash, l.checksum, l.chars
  FROM logs l JOIN sessions s USING (session_key)`;

export const EVENT_CELLS = cellsOf("events", [
  ...([integer, integer, integer, integer, integer, integer] as const),
  text,
]);
type EventCells = ReturnType<typeof EVENT_CELLS.of>;
const HEAD_CELLS = cellsOf("logs", [
  ...([integer, text, integer, text] as const),
  ...([integer, text, integer, integer] as const),
]);
type Head = {
  readonly logId: string;
  readonly sessionKey: number;
  readonly sessionId: string;
  readonly seq: number;
  readonly hash: string;
  readonly checksum: number;
  readonly chars: number;
};
/** How far a log has been checked. */
type Followed = { seq: number; hash: string; checksum: number; chars: number };

export type Checked = {
  readonly events: number;
  /** The digest of every event's bytes and position. */
  readonly digest: string;
  /** The first problem of each log. */
  readonly problems: readonly Problem[];
};
export type EventCheck = { add(batch: readonly Cells[]): void; end(): Checked };

export async function eventCheck(snapshot: Snapshot): Promise<EventCheck> {
  const heads = await headsIn(snapshot);
  const problems = new Map<string, string>();
  const digest = createHash("sha256");
  let events = 0;
  let log: { key: number; head: Head | undefined; at: Followed } | undefined;

  const found = (logId: string, problem: string) => {
    if (!problems.has(logId)) problems.set(logId, problem);
  };
  const leave = () => {
    if (!log?.head) return;
    const problem = headProblem(log.head, log.at);
    if (problem) found(log.head.logId, problem);
    heads.delete(log.key);
  };
  const add = (row: EventCells) => {
    const [key, seq] = row;
    if (log?.key !== key) {
      leave();
      log = { key, head: heads.get(key), at: { seq: 0, hash: GENESIS, checksum: 0, chars: 0 } };
    }
    const { head, at } = log;
    if (!head) found(`log_key ${key}`, "there are events of it, and no such log");
    else if (!follows(row, head, at)) found(head.logId, `the chain breaks at seq ${at.seq + 1}`);
    at.seq = seq;
    digest.update(`${row.join(" ")}\n`);
    events += 1;
  };
  return {
    add: (batch) => batch.forEach((row) => add(EVENT_CELLS.of(row))),
    end() {
      leave();
      for (const { seq, logId } of heads.values()) {
        if (seq > 0) found(logId, `the log should end at seq ${seq}, not 0`);
      }
      return {
        events,
        digest: digest.digest("hex"),
        problems: [...problems].map(([logId, problem]) => ({ logId, problem })),
      };
    },
  };
}

/** Whether the event follows `at`; moves `at` to it. */
function follows(row: EventCells, { logId, sessionKey, sessionId }: Head, at: Followed): boolean {
  const [, seq, itsSession, sessionSeq, checksum, chars, body] = row;
  const place = `{"event_id":"${logId}:${seq}","seq":${seq},"run_id":"${logId}","session_id":"${sessionId}","session_seq":${sessionSeq},"epoch":"`;
  const hash = verify(body, at.hash);
  const frame = frameOf(logId, seq, body);
  const isNext = seq === at.seq + 1 && itsSession === sessionKey && body.startsWith(place);
  at.checksum = crc32(frame, at.checksum);
  at.chars += frame.length;
  if (!isNext || hash === undefined) return false;
  at.hash = hash;
  return at.checksum === checksum && at.chars === chars;
}

function headProblem(head: Head, at: Followed): string | undefined {
  if (at.seq !== head.seq) return `the log should end at seq ${head.seq}, not ${at.seq}`;
  const isLast = at.hash === head.hash && at.checksum === head.checksum && at.chars === head.chars;
  return isLast ? undefined : "the head does not fit the last event";
}

async function headsIn(snapshot: Snapshot): Promise<Map<number, Head>> {
  const heads = new Map<number, Head>();
  for await (const batch of snapshot.batches(HEADS)) {
    for (const row of batch) {
      const [key, logId, sessionKey, sessionId, seq, hash, checksum, chars] = HEAD_CELLS.of(row);
      heads.set(key, { logId, sessionKey, sessionId, seq, hash, checksum, chars });
    }
  }
  return heads;
}
