// Reads events. Every event is verified before it is returned (its bytes, its place, its link to the one before): a
// damaged log is quarantined and never served (D7).
import { Corruption } from "../sqlite/corruption.ts";
import { eventPages, type EventPages, type Span } from "./event-pages.ts";
import { readFramesOf, type FramedLog } from "./frames.ts";
import { GENESIS, verify } from "../hash-chain.ts";
import { guarded, quarantined, type Afresh, type Problem } from "../quarantine.ts";
import type { Sql } from "../sql.ts";
import type { Transact } from "../transaction.ts";
import type { EventReads, Page, Reads } from "../journal.ts";
import { inboxReads } from "./inbox-reads.ts";
import { projectReads } from "../projects/project-reads.ts";
import type { Catalogue } from "../project/catalogue.ts";
import { rules } from "../project/rules.ts";
import { search } from "../../search/search.ts";
import type { SearchIndex } from "../../search/index.ts";
import { sessionReads } from "./session-reads.ts";
import { channelReads } from "./channel-reads.ts";
import type { Snapshots } from "./snapshots.ts";
import { problemOf } from "./verify-log.ts";
import { workReads } from "./work-reads.ts";
import { finding, type Workspaces } from "../admit/workspaces.ts";
import { integer, nullable, real, rowsOf, text } from "../rows.ts";
import { REQUEST_ROW, RUN_ROW } from "./record-rows.ts";

const RUN = `
  SELECT l.log_id AS run_id, s.session_id, l.status, l.seq, l.prompt, l.model, l.workspace,
         l.profile, l.parent_run_id, l.depth, l.rewound_at, l.fence, l.runner_id, l.created_at, l.last_at AS updated_at,
         l.ended_at, l.quarantined
  FROM logs l JOIN sessions s USING (session_key) WHERE l.kind = 'run'`;
const PENDING = `
  SELECT r.request_id, l.log_id AS run_id, s.session_id, r.kind, r.call_id, r.title, r.prompt,
         r.choices, r.plan_hash, r.always, r.expires_at, r.created_at
  FROM requests r JOIN logs l USING (log_key) JOIN sessions s ON s.session_key = r.session_key
  WHERE r.answer IS NULL AND l.quarantined IS NULL AND (CAST(?1 AS TEXT) IS NULL OR s.session_id = ?1)
    AND (CAST(?2 AS TEXT) IS NULL OR l.log_id = ?2)
  ORDER BY r.created_at, r.request_id`;

const CHAIN = rowsOf("logs", { log_key: integer, log_id: text, seq: integer, hash: text });
const HEAD = rowsOf("logs", {
  log_key: integer,
  log_id: text,
  seq: integer,
  checksum: integer,
  chars: integer,
  ended_at: nullable(real),
  quarantined: nullable(text),
});

/** The reads that each database implements itself. */
export type Reading = {
  readonly sql: Sql;
  /** Omitted: one statement for the head and one for the events. */
  readonly pages?: EventPages;
  readonly transact: Transact;
  /** Confirms damage by reading again; omitted if a single read is reliable. */
  readonly afresh?: Afresh;
  readonly words: SearchIndex;
  readonly workspaces: Workspaces;
  readonly catalogue: Catalogue;
  /** SQL that joins frames; takes the text before each seq, the log's key, and the first and last seq. */
  readonly joined: string;
  /** Whether the error means that stored data is damaged. */
  readonly isDamage: (error: unknown) => boolean;
};

export function eventReads(reading: Reading): EventReads {
  const { sql, pages = eventPages(sql), joined } = reading;
  const guard = { afresh: (work) => work(sql), ...reading } as Reading & { afresh: Afresh };
  const from = (other: Sql | undefined) =>
    other && reading.afresh ? { sql: other, pages: eventPages(other) } : { sql, pages };
  const only = (logId: string) => async (_sql: Sql, problem: string) => [{ logId, problem }];
  return {
    readRun: (logId, after, limit) =>
      guarded(guard, {
        read: (other) => readLog(from(other).pages, logId, { after, limit }),
        damaged: only(logId),
      }),
    readFrames: (logId, after, limit) =>
      guarded(guard, {
        read: async (other) => {
          const source = from(other);
          const log = await findLog(source.sql, logId);
          return log && readFramesOf({ sql: source.sql, joined }, log, after, limit);
        },
        damaged: only(logId),
      }),
    readSession: (sessionId, after, limit) =>
      guarded(guard, {
        read: (other) => readAcross(from(other).pages, sessionId, { after, limit }),
        damaged: (other, problem) => damagedLogs(other, sessionId, problem),
      }),
  };
}

export function reads({ sql, words, workspaces }: Reading): Omit<Reads, keyof Snapshots> {
  return {
    async run(runId) {
      return RUN_ROW.get(sql, `${RUN} AND l.log_id = ?`, runId);
    },
    async runsOf(sessionId) {
      const ordered = `${RUN} AND s.session_id = ? ORDER BY coalesce(l.position, l.log_key)`;
      return RUN_ROW.all(sql, ordered, sessionId);
    },
    async pending({ sessionId, runId }) {
      return (await REQUEST_ROW.all(sql, PENDING, sessionId ?? null, runId ?? null)).map((row) => ({
        ...row,
      }));
    },
    async granted(sessionId, planHash) {
      const granted = `SELECT 1 FROM requests r JOIN sessions s USING (session_key)
        WHERE s.session_id = ? AND r.plan_hash = ? AND r.answer = 'session'`;
      return (await sql.get(granted, sessionId, planHash)) !== undefined;
    },
    ...rules(sql),
    ...projectReads(sql),
    ...workReads(sql),
    ...finding({ ...search({ sql, words }), ...sessionReads(sql, words) }, workspaces),
    ...inboxReads(sql),
    ...channelReads(sql),
  };
}

async function findLog(sql: Sql, logId: string): Promise<FramedLog | undefined> {
  const log = await HEAD.get(
    sql,
    "SELECT log_key, log_id, seq, checksum, chars, ended_at, quarantined FROM logs WHERE log_id = ?",
    logId,
  );
  if (log && log.quarantined !== null) throw quarantined(logId, log.quarantined);
  return log;
}

async function readLog(
  pages: EventPages,
  logId: string,
  { after, limit }: Span,
): Promise<Page | undefined> {
  const page = await pages.ofLog(logId, { after, limit });
  if (!page) return undefined;
  const { head, rows } = page;
  if (page.quarantined !== null) throw quarantined(logId, page.quarantined);
  let expected = after;
  let previous = after === 0 ? GENESIS : undefined;
  for (const [seq, sessionSeq, body] of rows) {
    expected += 1;
    const isOurs = seq === expected && body.startsWith(`{"event_id":"${logId}:${seq}",`);
    const inPlace = isOurs && body.includes(`,"session_seq":${sessionSeq},`);
    previous = inPlace ? verify(body, previous) : undefined;
    if (previous === undefined) throw new Corruption(`the bytes at seq ${expected} were changed`);
  }
  const complete = rows.length === limit || expected >= head;
  if (!complete) throw new Corruption(`events after seq ${expected} are missing`);
  // Another process may have committed since the head was read, so the rows give the head.
  if (expected === head && rows.length > 0 && previous !== page.hash) {
    throw new Corruption("the head does not fit the last event");
  }
  return { head: rows.length === 0 ? head : Math.max(head, expected), rows };
}

async function readAcross(
  pages: EventPages,
  sessionId: string,
  { after, limit }: Span,
): Promise<Page | undefined> {
  const page = await pages.ofSession(sessionId, { after, limit });
  if (!page) return undefined;
  const { head, rows } = page;
  let expected = after;
  for (const [seq, sessionSeq, body] of rows) {
    expected += 1;
    const isOurs = body.includes(`,"session_id":"${sessionId}","session_seq":${expected},`);
    const inPlace = isOurs && body.includes(`:${seq}","seq":${seq},`);
    if (sessionSeq !== expected || !inPlace || verify(body, undefined) === undefined) {
      throw new Corruption(`the bytes at session_seq ${expected} were changed`);
    }
  }
  if (rows.length < limit && expected < head) {
    throw new Corruption(`events after session_seq ${expected} are missing`);
  }
  return { head: rows.length === 0 ? head : Math.max(head, expected), rows };
}

/** Finds the damaged log of a session, so that only that one is no longer served. */
async function damagedLogs(sql: Sql, sessionId: string, problem: string): Promise<Problem[]> {
  const logs = `SELECT log_key, log_id, l.seq, hash FROM logs l JOIN sessions USING (session_key)
    WHERE session_id = ? ORDER BY log_key`;
  const found: Problem[] = [];
  for (const log of await CHAIN.all(sql, logs, sessionId)) {
    const why = await problemOf(sql, log);
    if (why) found.push({ logId: log.log_id, problem: why });
  }
  return found.length > 0 ? found : [{ logId: sessionId, problem }];
}
