// Maintenance: verifies every chain, quarantines logs that do not verify, lifts quarantines that no longer apply, and
// rebuilds projections. Nothing here repairs or deletes an event.
import type { Draft } from "../events/events.ts";
import { verify } from "./hash-chain.ts";
import type { Upkeep } from "./journal.ts";
import { FOLLOWS } from "./tables/tables.ts";
import type { Catalogue } from "./project/catalogue.ts";
import { PROJECTIONS_VERSION } from "./project/projections.ts";
import { liftQuarantine, problemsIn, quarantineLog, type Guard } from "./quarantine.ts";
import type { SearchIndex } from "../search/index.ts";
import { forgetIndex, indexAll, indexIfSmall } from "../search/older.ts";
import type { Sql, Statement } from "./sql.ts";
import type { Transact, Tx } from "./transaction.ts";
import { integer, rowsOf, text } from "./rows.ts";

const PAGE = 1_000;
const CHANGES_AT_ONCE = 200; // each may hold a long message

type Remade = { readonly words: SearchIndex; readonly catalogue: Catalogue };
type Maintained = Remade & { readonly sql: Sql; readonly transact: Transact };

export function maintenance({
  sql,
  transact,
  words,
  catalogue,
  ...guard
}: Maintained & Omit<Guard, "transact">): Omit<Upkeep, "backup" | "listProblems" | "indexOlder"> {
  return {
    async verify() {
      const problems = await problemsIn(sql, guard);
      await transact(null, async (tx) => {
        for (const { logId, problem } of problems) await quarantineLog(tx, logId, problem);
      });
      return problems;
    },
    lift: (how) => liftQuarantine({ ...guard, transact }, how),
    async rebuild() {
      await transact(null, async (tx) => {
        await tx.lockJournal(); // an event appended meanwhile would be listed twice
        await rebuildProjections(tx, { words, catalogue });
      });
      await indexAll({ sql, transact, words });
    },
  };
}

const VERSION = "SELECT value FROM meta WHERE key = 'projections'";
const SET_VERSION = `INSERT INTO meta (key, value) VALUES ('projections', ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The lists of an earlier build lack columns or rows: they are rebuilt once. */
export async function bringUpToDate({
  sql,
  transact,
  words,
  catalogue,
}: Maintained): Promise<void> {
  const isCurrent = async ({ get }: Pick<Sql, "get">) =>
    Number((await get(VERSION))?.["value"] ?? 0) === PROJECTIONS_VERSION;
  if (await isCurrent(sql)) return indexIfSmall({ sql, transact, words });
  await transact(null, async (tx) => {
    await tx.lockJournal();
    if (await isCurrent(tx)) return; // two processes may start at once
    await rebuildProjections(tx, { words, catalogue });
    await tx.run(SET_VERSION, String(PROJECTIONS_VERSION));
  });
  await indexIfSmall({ sql, transact, words });
}

const KEY = rowsOf("sessions", { session_key: integer });
const EVENT = rowsOf("events", {
  log_key: integer,
  seq: integer,
  session_seq: integer,
  body: text,
});

/** Replays every event through the projections, session by session: no row depends on two sessions. */
export async function rebuildProjections(tx: Tx, { words, catalogue }: Remade): Promise<void> {
  for (const [sql, ...params] of FORGET) await tx.run(sql, ...params);
  await forgetIndex(tx, words); // rebuilt separately, in the order of time
  const sessions = await KEY.all(tx, "SELECT session_key FROM sessions ORDER BY session_key");
  for (const { session_key } of sessions) {
    await rebuildSession(tx, session_key, catalogue);
  }
}

async function rebuildSession(tx: Tx, session_key: number, { project }: Catalogue): Promise<void> {
  const sql = `SELECT log_key, seq, session_seq, body FROM events
    WHERE session_key = ? AND session_seq > ? ORDER BY session_seq LIMIT ${PAGE}`;
  for (let after = 0, more = true; more;) {
    const rows = await EVENT.all(tx, sql, session_key, after);
    more = rows.length === PAGE;
    const changes: Statement[] = [];
    for (const { log_key, seq, session_seq: sessionSeq, body } of rows) {
      after = sessionSeq;
      if (verify(body, undefined) === undefined) continue; // damaged: verify() quarantines its log
      const event = JSON.parse(body) as Draft & { created_at: number };
      const log = { log_key, session_key };
      changes.push(...project(log, event, { seq, sessionSeq, at: event.created_at }));
      if (changes.length >= CHANGES_AT_ONCE) await tx.runAll(changes.splice(0));
    }
    await tx.runAll(changes);
  }
}

/** Empties every table that follows from events. */
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
