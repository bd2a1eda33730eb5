// Indexes events from before the index existed: log by log, the newest first, in small steps that let other writers in. A
// small journal is indexed when it opens, a large one by `serve` in the background; until then searches say so.
import type { Draft } from "../events/events.ts";
import { verify } from "../journal/hash-chain.ts";
import type { Upkeep } from "../journal/journal.ts";
import { rowOf, type SearchIndex, type SearchRow } from "./index.ts";
import { isSearchable, MAX_MESSAGE } from "./text.ts";
import { integer, rowsOf, type RowOf } from "../journal/rows.ts";
import type { Sql } from "../journal/sql.ts";
import { SEARCH_ROWS } from "../journal/tables/lists.ts";
import { EVENTS, LOGS } from "../journal/tables/runs.ts";
import { pick } from "../journal/tables/table.ts";
import type { Transact, Tx } from "../journal/transaction.ts";

const EVENTS_A_STEP = 2_000; // about 50 ms
const LOGS_A_STEP = 200;
/** At most this many events are indexed when a journal opens. */
const FEW_EVENTS = 10_000;
const PAGE = 1_000;
const CHANGES_AT_ONCE = 200;

type Indexing = { readonly sql: Sql; readonly transact: Transact; readonly words: SearchIndex };
const OLDER_LOG = rowsOf(
  "logs",
  pick(LOGS, "log_key", "log_id", "session_key", "profile", "workspace", "seq", "ended_at"),
);
type OlderLog = RowOf<typeof OLDER_LOG>;
const LEFT_ROW = rowsOf("logs", { logs: integer, events: integer });
const LAST_KEY = rowsOf("logs", { last: integer });
const SEQ = rowsOf("search_rows", pick(SEARCH_ROWS, "seq"));
const LOWEST = rowsOf("search_rows", { low: integer });
const EVENT = rowsOf("events", pick(EVENTS, "seq", "body"));

const FROM = "SELECT value FROM meta WHERE key = 'search_from'";
const SET_FROM = `INSERT INTO meta (key, value) VALUES ('search_from', ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
const LEFT = `SELECT count(*) AS logs, coalesce(sum(seq), 0) AS events FROM logs
  WHERE log_key < ? AND kind = 'run'`;
const OLDER = `SELECT log_key, log_id, session_key, profile, workspace, seq, ended_at FROM logs
  WHERE log_key < ? AND kind = 'run' ORDER BY log_key DESC LIMIT ${LOGS_A_STEP}`;

export function olderIndex(indexing: Indexing): Pick<Upkeep, "indexOlder"> {
  return { indexOlder: () => step(indexing) };
}

/** Whether anything is left, and how much. */
export async function older({
  sql,
}: Pick<Indexing, "sql">): Promise<{ logs: number; events: number }> {
  const from = Number((await sql.get(FROM))?.["value"] ?? 0);
  if (from <= 1) return { logs: 0, events: 0 };
  return LEFT_ROW.one(sql, LEFT, from);
}

/** As a journal opens. */
export async function indexIfSmall(indexing: Indexing): Promise<void> {
  if ((await older(indexing)).events <= FEW_EVENTS) await indexAll(indexing);
}

export async function indexAll(indexing: Indexing): Promise<void> {
  while ((await step(indexing)) > 0);
}

/** Marks every log as not indexed. */
export async function forgetIndex(tx: Tx, words: SearchIndex): Promise<void> {
  await tx.runAll(words.forget);
  const { last } = await LAST_KEY.one(tx, "SELECT coalesce(max(log_key), 0) AS last FROM logs");
  await tx.run(SET_FROM, String(last + 1));
}

/** Returns how many logs are left. */
async function step(indexing: Indexing): Promise<number> {
  if (Number((await indexing.sql.get(FROM))?.["value"] ?? 0) <= 1) return 0;
  await indexing.transact("search index", async (tx) => {
    const from = Number((await tx.get(FROM))?.["value"] ?? 0);
    const logs = await OLDER_LOG.all(tx, OLDER, from);
    let [events, below] = [0, 1];
    for (const [index, log] of logs.entries()) {
      if (index > 0 && events + log.seq > EVENTS_A_STEP) break;
      await indexLog(tx, log, indexing.words);
      events += log.seq;
      below = index === logs.length - 1 && logs.length < LOGS_A_STEP ? 1 : log.log_key;
    }
    await tx.run(SET_FROM, String(below));
  });
  return (await older(indexing)).logs;
}

async function indexLog(tx: Tx, log: OlderLog, words: SearchIndex): Promise<void> {
  if (log.ended_at === null) await tx.log(log.log_id); // locked, so that no message is edited meanwhile
  const rows = await searchRowsOf(tx, log);
  const there = await SEQ.all(tx, "SELECT seq FROM search_rows WHERE log_key = ?", log.log_key);
  const known = new Set(there.map(({ seq }) => seq));
  const lowest = "SELECT coalesce(min(row_key), 1) AS low FROM search_rows";
  const missing = rows.filter(({ seq }) => !known.has(seq));
  const first = Math.min((await LOWEST.one(tx, lowest)).low, 1) - missing.length;
  for (let at = 0; at < missing.length; at += CHANGES_AT_ONCE) {
    const some = missing.slice(at, at + CHANGES_AT_ONCE);
    await tx.runAll(some.flatMap((row, index) => words.add(row, first + at + index)));
  }
}

const TYPE = /"type":"([^"]+)"/;

/** The messages after all edits. */
async function searchRowsOf(tx: Tx, log: OlderLog): Promise<SearchRow[]> {
  const page = `SELECT seq, body FROM events WHERE log_key = ? AND seq > ? ORDER BY seq LIMIT ${PAGE}`;
  const rows = new Map<number, SearchRow>();
  const messages = new Map<string, number>();
  for (let after = 0, more = true; more;) {
    const events = await EVENT.all(tx, page, log.log_key, after);
    more = events.length === PAGE;
    for (const { seq, body } of events) {
      after = seq;
      const type = TYPE.exec(body)?.[1] ?? "";
      if (!isSearchable(type) && type !== "message.edited") continue;
      if (verify(body, undefined) === undefined) continue; // damaged: verify() quarantines its log
      const draft = JSON.parse(body) as Draft & { created_at: number };
      if (draft.type === "message.edited") {
        const at = messages.get(draft.payload.message_id);
        const edited = at === undefined ? undefined : rows.get(at);
        const text = (draft.payload.text ?? "").slice(0, MAX_MESSAGE).toWellFormed();
        if (edited) rows.set(edited.seq, { ...edited, text });
        continue;
      }
      if (draft.type === "message.user") messages.set(draft.payload.message_id, seq);
      const row = rowOf(log, draft, { seq, at: draft.created_at });
      if (row) rows.set(seq, row);
    }
  }
  return [...rows.values()];
}
