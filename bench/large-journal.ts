// A journal with 100,000 sessions and 1,000,000 events, made by the code that appends events: chained, projected and
// indexed as usual, but many to a transaction and without waiting for the disk. Its events span a year. Postgres gets a
// copy of the same rows.
import { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import type { LogRow, AppendContext } from "../src/kernel/journal/append.ts";
import { Database } from "../src/kernel/journal/sqlite/database.ts";
import { journalPath, openSqlite } from "../src/kernel/journal/sqlite/sqlite.ts";
import { appendTo } from "../src/kernel/journal/sqlite/append.ts";
import { catalogueOf } from "../src/kernel/journal/project/catalogue.ts";
import { sqliteSearchIndex } from "../src/kernel/journal/sqlite/full-text.ts";
import { bucketMark, vectorOf } from "../src/kernel/journal/postgres/full-text.ts";
import type { Draft } from "../src/kernel/events/events.ts";
import * as d from "../test/support/drafts.ts";
import { FEATURES } from "../src/features/journal-features.ts";

export const SESSIONS = 100_000;
const YEAR = 365 * 86_400;
const AT_ONCE = 250; // sessions a transaction

/** Words with the frequencies of a language: the first in every second line, most of them very rarely. */
const SYLLABLES = "ka lo mi ren tu sha vel or dan pi gro est ul nam bek fi".split(" ");
const WORDS = 30_000;
const random = seeded(7);

export function word(rank: number): string {
  const parts: string[] = [];
  for (let rest = rank + 17; rest > 0; rest = Math.floor(rest / 16)) {
    parts.push(SYLLABLES[rest % 16] as string);
  }
  return parts.join("");
}

export function anyWord(): string {
  return word(Math.floor(WORDS ** random()) - 1);
}

function text(words: number): string {
  return Array.from({ length: words }, anyWord).join(" ");
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Ten events: one of the session, nine of its run; five of them are indexed. */
function eventsOf(index: number): { created: Draft; ran: Draft[] } {
  const profile = index % 50 === 0 ? "rare" : "default";
  const workspace = `/work/${index % 20}`;
  const about = { model: "demo/demo", workspace, profile };
  const path = `src/${anyWord()}/${anyWord()}.ts`;
  const plan = { tool: "exec", arguments: { command: `grep ${anyWord()} ${path}` }, workspace };
  const head = text(50);
  const output = { head, tail: "", bytes: head.length, sha256: null, truncated: false };
  const title = { title: text(5), source: "bench", parent_session_id: null };
  return {
    created: { type: "session.created", payload: { ...title, ...about } },
    ran: [
      d.userMessage(text(15)),
      saying(d.queued, about),
      d.turnStarted(1),
      saying(d.intent("c1"), { plan }),
      saying(d.toolStarted("c1"), { arguments: plan.arguments }),
      d.changed("c1", path),
      saying(d.toolDone("c1"), { output }),
      d.said("m2", text(40)),
      d.done(9),
    ],
  };
}

function saying({ type, payload }: Draft, changed: object): Draft {
  return { type, payload: { ...payload, ...changed } } as Draft;
}

const NEW_SESSION = `INSERT INTO sessions (session_key, session_id, created_at, updated_at)
  VALUES (?, ?, ?, ?)`;
const NEW_LOG = "INSERT INTO logs (log_key, log_id, kind, session_key) VALUES (?, ?, ?, ?)";

type Made = { readonly session: LogRow; readonly run: LogRow; readonly at: number };

function made(index: number, end: number): Made {
  const key = index + 1;
  const ids = { session_key: key, session_id: `s${key}` };
  const nothing = { seq: 0, hash: "", checksum: 0, chars: 0, last_at: 0, session_seq: 0 };
  const row = { ...ids, ...nothing, updated_hour: 0, fence: 0, runner_id: null, ended_at: null };
  const place = { profile: "", workspace: "" };
  const requests = { title_source: "prompt", goal_text: null, goal_status: null };
  const empty = { ...row, status: "queued", quarantined: null, ...place, ...requests };
  return {
    session: { ...empty, log_key: 2 * key - 1, log_id: `s${key}` },
    run: { ...empty, log_key: 2 * key, log_id: `r${key}`, session_seq: 1 },
    at: end - YEAR + (YEAR * index) / SESSIONS,
  };
}

/** Sets the clock, which gives events their time. */
function atTime<Result>(at: number, work: () => Result): Result {
  const real = Date.now;
  Date.now = () => at * 1_000;
  try {
    return work();
  } finally {
    Date.now = real;
  }
}

export async function fillSqlite(home: string): Promise<void> {
  const journal = await openSqlite({ features: FEATURES, home });
  await journal[Symbol.asyncDispose]();
  using db = new Database({ path: journalPath(home), onFatal: () => {} });
  db.run("PRAGMA synchronous = OFF");
  const about = { words: sqliteSearchIndex, catalogue: catalogueOf(FEATURES) };
  const sealing: AppendContext = { epoch: db.epoch, redact: undefined, ...about };
  const end = Date.now() / 1_000;
  for (let from = 0; from < SESSIONS; from += AT_ONCE) {
    await db.write(() => {
      for (let index = from; index < from + AT_ONCE; index += 1) {
        const { session, run: runLog, at } = made(index, end);
        db.run(NEW_SESSION, session.session_key, session.session_id, at, at);
        db.run(NEW_LOG, session.log_key, session.log_id, "session", session.session_key);
        db.run(NEW_LOG, runLog.log_key, runLog.log_id, "run", session.session_key);
        const { created, ran } = eventsOf(index);
        atTime(at, () => {
          appendTo(db, session, [created], sealing);
          appendTo(db, runLog, ran, sealing);
        });
      }
    });
  }
  db.checkpoint();
}

/** Copies the projections of the SQLite journal; only the words are written in Postgres's format. */
export async function copyToPostgres(home: string, client: pg.ClientBase): Promise<void> {
  using db = new DatabaseSync(journalPath(home), { readOnly: true });
  const [index] = (
    await client.query<{ ddl: string }>(
      "SELECT pg_get_indexdef('search_rows_words'::regclass) AS ddl",
    )
  ).rows;
  await client.query("DROP INDEX search_rows_words; SET maintenance_work_mem = '256MB'");
  for (const table of ["sessions", "logs", "events", "messages", "changes"]) {
    await copied(client, table, db.prepare(`SELECT * FROM ${table}`).iterate());
  }
  const columns = "row_key, log_key, seq, kind, role, tool, created_at, text";
  const rows = db.prepare(`SELECT ${columns}, about FROM search_rows ORDER BY row_key`).iterate();
  await copied(client, "search_rows", rows.map(withWords));
  await client.query(index?.ddl ?? "");
  await client.query("SELECT setval('search_keys', (SELECT max(row_key) FROM search_rows))");
  for (const name of ["search_rows", "sessions", "logs", "messages", "events"]) {
    await client.query(`VACUUM ANALYZE ${name}`);
  }
}

type Row = Record<string, unknown>;

function withWords({ about, ...row }: Row): Row {
  const { row_key, text } = row as { row_key: number; text: string };
  return { ...row, words: vectorOf(text, [...(about as string).split(" "), bucketMark(row_key)]) };
}

const ROWS = 2_000;

async function copied(client: pg.ClientBase, table: string, rows: Iterable<Row>): Promise<void> {
  let some: Row[] = [];
  const send = async () => {
    const [first] = some;
    if (!first) return;
    const names = Object.keys(first)
      .filter((name) => name !== "event_key")
      .join(", ");
    const insert = `INSERT INTO ${table} (${names}) SELECT ${names}
      FROM json_populate_recordset(null::${table}, $1)`;
    await client.query(insert, [JSON.stringify(some)]);
    some = [];
  };
  for (const row of rows) {
    some.push(row);
    if (some.length === ROWS) await send();
  }
  await send();
}
