// Looking after a journal: following every chain, quarantining what does not verify, and making
// projections anew. Nothing here repairs or deletes an event.
import type { Draft } from "../protocol/events.ts";
import { crc32 } from "node:zlib";
import { frameOf } from "../protocol/frame.ts";
import { GENESIS, verify } from "./hash-chain.ts";
import type { Journal } from "./journal.ts";
import { FOLLOWS } from "./follows.ts";
import { project, PROJECTIONS_VERSION } from "./projections.ts";
import type { SearchIndex } from "./search-index.ts";
import { forgetIndex, indexAll, indexIfSmall } from "./search-older.ts";
import type { Sql, Statement } from "./sql.ts";
import type { Transact, Tx } from "./transaction.ts";

export type Problem = { readonly logId: string; readonly problem: string };
export type LogHead = { log_key: number; log_id: string; seq: number; hash: string };
const PAGE = 1_000;
const CHANGES_AT_ONCE = 200; // each may be of a long message

type Maintained = { readonly sql: Sql; readonly transact: Transact; readonly words: SearchIndex };

export function maintenance({
  sql,
  transact,
  words,
}: Maintained): Pick<Journal, "verify" | "rebuild"> {
  return {
    async verify() {
      const problems = await verifyAll(sql);
      await transact(null, async (tx) => {
        for (const { logId, problem } of problems) await quarantineLog(tx, logId, problem);
      });
      return problems;
    },
    async rebuild() {
      await transact(null, async (tx) => {
        await tx.alone(); // what is appended meanwhile would be listed twice
        await rebuildProjections(tx, words);
      });
      await indexAll({ sql, transact, words });
    },
  };
}

async function verifyAll(sql: Sql): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const row of await sql.all("SELECT log_key, log_id, seq, hash FROM logs ORDER BY log_key")) {
    const log = row as LogHead;
    const problem = await problemOf(sql, log);
    if (problem) problems.push({ logId: log.log_id, problem });
  }
  return problems;
}

export async function problemOf(sql: Sql, log: LogHead): Promise<string | undefined> {
  const events =
    "SELECT seq, checksum, body FROM events WHERE log_key = ? AND seq > ? ORDER BY seq LIMIT ?";
  let previous = GENESIS;
  let checksum = 0;
  let after = 0;
  for (;;) {
    const rows = await sql.rows(events, log.log_key, after, PAGE);
    for (const [seq, sum, body] of rows as [number, number, string][]) {
      checksum = crc32(frameOf(log.log_id, seq, body), checksum);
      const inPlace = body.startsWith(`{"event_id":"${log.log_id}:${seq}",`) && checksum === sum;
      const hash = inPlace && seq === after + 1 ? verify(body, previous) : undefined;
      if (hash === undefined) return `the chain breaks at seq ${after + 1}`;
      previous = hash;
      after = seq;
      if (seq === log.seq) break; // what was appended since the head was read is none of ours
    }
    if (rows.length < PAGE || after === log.seq) break;
  }
  if (after !== log.seq) return `the log should end at seq ${log.seq}, not ${after}`;
  return after > 0 && previous !== log.hash ? "the head does not fit the last event" : undefined;
}

export async function quarantineLog(tx: Tx, logId: string, problem: string): Promise<void> {
  const sql = "UPDATE logs SET quarantined = ? WHERE log_id = ? AND quarantined IS NULL";
  await tx.run(sql, problem, logId);
}

const VERSION = "SELECT value FROM meta WHERE key = 'projections'";
const SET_VERSION = `INSERT INTO meta (key, value) VALUES ('projections', ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** A journal of an earlier build has lists that know less: they are made anew, once. */
export async function bringUpToDate({ sql, transact, words }: Maintained): Promise<void> {
  const isCurrent = async ({ get }: Pick<Sql, "get">) =>
    Number((await get(VERSION))?.["value"] ?? 0) === PROJECTIONS_VERSION;
  if (await isCurrent(sql)) return indexIfSmall({ sql, transact, words });
  await transact(null, async (tx) => {
    await tx.alone();
    if (await isCurrent(tx)) return; // two processes may start at once
    await rebuildProjections(tx, words);
    await tx.run(SET_VERSION, String(PROJECTIONS_VERSION));
  });
  await indexIfSmall({ sql, transact, words });
}

/** Replays every event through the projections, session by session: nothing they keep is of two. */
async function rebuildProjections(tx: Tx, words: SearchIndex): Promise<void> {
  for (const [sql, ...params] of FORGET) await tx.run(sql, ...params);
  await forgetIndex(tx, words); // made by itself, in the order of time
  const sessions = await tx.all("SELECT session_key FROM sessions ORDER BY session_key");
  for (const { session_key } of sessions) await rebuildSession(tx, session_key as number);
}

async function rebuildSession(tx: Tx, session_key: number): Promise<void> {
  const sql = `SELECT log_key, seq, session_seq, body FROM events
    WHERE session_key = ? AND session_seq > ? ORDER BY session_seq LIMIT ${PAGE}`;
  for (let after = 0, more = true; more;) {
    const rows = await tx.all(sql, session_key, after);
    more = rows.length === PAGE;
    const changes: Statement[] = [];
    for (const row of rows) {
      const [seq, sessionSeq] = [row["seq"] as number, row["session_seq"] as number];
      const body = row["body"] as string;
      after = sessionSeq;
      if (verify(body, undefined) === undefined) continue; // damaged: verify() quarantines its log
      const event = JSON.parse(body) as Draft & { created_at: number };
      const log = { log_key: row["log_key"] as number, session_key };
      changes.push(...project(log, event, { seq, sessionSeq, at: event.created_at }));
      if (changes.length >= CHANGES_AT_ONCE) await tx.runAll(changes.splice(0));
    }
    await tx.runAll(changes);
  }
}

/** Everything that follows from events, as it is before the first one. */
const FORGET: readonly Statement[] = [
  ...FOLLOWS.map((table): Statement => [`DELETE FROM ${table}`]),
  [
    `UPDATE sessions SET title = '', title_source = 'prompt', goal_text = NULL, goal_status = NULL,
     project_id = NULL, yolo = 0, permissions = '[]', branched_from = NULL, deleted = 0, pinned = 0, title_key = '',
     skills = '{}'`,
  ],
  [
    `UPDATE logs SET status = CASE kind WHEN 'run' THEN 'queued' ELSE status END, prompt = '',
     model = '', workspace = '', profile = '', message_id = '', position = NULL, direct = NULL,
     rewound_at = NULL, tokens = 0, input_tokens = 0, output_tokens = 0, cost_usd = 0, unpriced = 0,
     tool_calls = 0, attachments = 0, activity = NULL, activity_at = NULL, dismissed = 0,
     parent_run_id = NULL, depth = 0, volume = '', created_at = 0, ended_at = NULL`,
  ],
];
