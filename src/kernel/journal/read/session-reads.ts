// Sessions for lists. A list first finds its sessions by indexes, and only then reads their usage and texts, so it costs
// the same with a hundred thousand other sessions.
import type { SessionRecord, SessionSummary } from "../../api/records/records.ts";
import { RUN_STATUSES } from "../../state/run/status.ts";
import { activityText, WAITING, waitingForVolume } from "../project/describe-activity.ts";
import type { Reads, SessionQuery } from "../journal.ts";
import { reachedVolumes } from "../registry.ts";
import { sessionsWith, type Searching } from "../../search/search.ts";
import type { SearchIndex } from "../../search/index.ts";
import { folded } from "../../search/query.ts";
import {
  flag,
  integer,
  nullable,
  oneOf,
  real,
  rowsOf,
  text,
  cellsOf,
  type RowOf,
} from "../rows.ts";
import type { Sql, Value } from "../sql.ts";
import { LOGS, SESSIONS } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";

const ACTIVE = `
  LEFT JOIN logs a ON a.log_key = (
    SELECT o.log_key FROM logs o
    WHERE o.session_key = s.session_key AND o.ended_at IS NULL AND o.kind = 'run'
      AND o.parent_run_id IS NULL AND o.quarantined IS NULL
    ORDER BY coalesce(o.position, o.log_key) LIMIT 1)`;
const COLUMNS = `
  s.session_id, s.seq, s.title, s.source, s.workspace, s.model, s.profile, s.parent_session_id,
  s.project_id, s.yolo, s.pinned, s.title_source, s.goal_text, s.goal_status, s.created_at, s.updated_at,
  a.log_id AS active_run_id, a.status AS active_status, a.activity, a.activity_at,
  CASE WHEN a.runner_id IS NULL AND a.volume <> '' THEN a.volume END AS unclaimed_on, a.last_at AS unclaimed_at,
  (SELECT count(*) FROM requests r WHERE r.session_key = s.session_key AND r.answer IS NULL)
    AS pending,
  (SELECT min(r.created_at) FROM requests r WHERE r.session_key = s.session_key AND r.answer IS NULL)
    AS waiting_at,
  (SELECT e.status FROM logs e WHERE e.session_key = s.session_key AND e.kind = 'run'
      AND e.parent_run_id IS NULL AND e.ended_at IS NOT NULL AND e.rewound_at IS NULL
    ORDER BY e.log_key DESC LIMIT 1) AS last_status`;
const SESSION = `SELECT ${COLUMNS} FROM sessions s ${ACTIVE}`;

/** Messages of the conversation: not those of commands, undone runs and subagents. */
const SAID = `FROM logs l JOIN messages m ON m.log_key = l.log_key AND m.text <> ''
  WHERE l.session_key = s.session_key AND l.kind = 'run' AND l.parent_run_id IS NULL
    AND l.rewound_at IS NULL AND l.direct IS NULL`;
const PREVIEW = 200; // characters
const SUMMARY = `
  SELECT ${COLUMNS}, s.deleted, (SELECT count(*) ${SAID}) AS messages,
    (SELECT substr(text, 1, ${PREVIEW}) FROM messages WHERE message_key = (
      SELECT max(m.message_key) ${SAID})) AS preview,
    u.*
  FROM sessions s ${ACTIVE} JOIN (
    SELECT session_key AS of_key, coalesce(sum(input_tokens), 0) AS input_tokens,
      coalesce(sum(output_tokens), 0) AS output_tokens, coalesce(sum(tokens), 0) AS total_tokens,
      coalesce(sum(cost_usd), 0) AS cost_usd, coalesce(sum(tool_calls), 0) AS tool_calls,
      coalesce(sum(attachments), 0) AS attachments, count(parent_run_id) AS subagents
    FROM logs WHERE session_key IN (SELECT value FROM json_each(?)) GROUP BY session_key
  ) u ON u.of_key = s.session_key`;
const NEWEST = "ORDER BY updated_hour DESC, updated_at DESC, session_key DESC";

const TITLED = `SELECT session_key FROM sessions INDEXED BY sessions_title
  WHERE deleted = 0 AND instr(title_key, ?) > 0 LIMIT ?`;
const FEW_TITLES = 2_000; // for more, scanning the newest sessions is faster
const USED = `
  SELECT coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens,
    coalesce(sum(total_tokens), 0) AS total_tokens, coalesce(sum(cost_usd), 0) AS cost_usd,
    count(DISTINCT log_key) AS runs
  FROM usage WHERE created_at >= ?`;

const status = nullable(oneOf(RUN_STATUSES));
const SESSION_COLUMNS = {
  ...pick(
    SESSIONS,
    ...(["session_id", "seq", "title", "source", "workspace", "model", "profile"] as const),
    ...(["parent_session_id", "project_id", "yolo", "pinned", "goal_text"] as const),
    ...(["created_at", "updated_at"] as const),
  ),
  ...pick(LOGS, "activity", "activity_at"),
  title_source: oneOf(["prompt", "model", "user"]),
  goal_status: nullable(oneOf(["active", "paused"])),
  active_run_id: nullable(text),
  active_status: status,
  last_status: status,
  unclaimed_on: nullable(text),
  unclaimed_at: nullable(real),
  pending: integer,
  waiting_at: nullable(real),
};
const SESSION_ROW = rowsOf("sessions", SESSION_COLUMNS);
const USED_COLUMNS = {
  input_tokens: integer,
  output_tokens: integer,
  total_tokens: integer,
  cost_usd: real,
};
const SUMMARY_ROW = rowsOf("sessions", {
  ...SESSION_COLUMNS,
  ...USED_COLUMNS,
  deleted: flag,
  messages: integer,
  preview: nullable(text),
  of_key: integer,
  tool_calls: integer,
  attachments: integer,
  subagents: integer,
});
const USED_ROW = rowsOf("usage", { ...USED_COLUMNS, runs: integer });
const SESSION_KEY = rowsOf("sessions", pick(SESSIONS, "session_key"));
const TOTAL = rowsOf("sessions", { total: integer });
const HEAD = cellsOf("sessions", [text, integer]);

type SessionReads = Pick<
  Reads,
  "session" | "sessions" | "sessionSummaries" | "sessionSummary" | "sessionHeads" | "usageSince"
>;

export function sessionReads(sql: Sql, words: SearchIndex): SessionReads {
  return {
    async session(sessionId) {
      const row = await SESSION_ROW.get(sql, `${SESSION} WHERE s.session_id = ?`, sessionId);
      return row && (await toSessions(sql, [row]))[0];
    },
    async sessions(page) {
      const listed = `${SESSION} WHERE s.session_key IN (SELECT value FROM json_each(?)) ${NEWEST_OF}`;
      const where = page.pinnedOnly ? `pinned = 1 AND ${LISTED}` : LISTED;
      const keys = await keysOf(sql, { where, given: [] }, page);
      return toSessions(sql, await SESSION_ROW.all(sql, listed, keys));
    },
    async sessionSummaries(query) {
      const parts = await filtersOf({ sql, words }, query);
      const total = await counted(sql, parts);
      return { sessions: await summaries(sql, await keysOf(sql, anyOf(parts), query)), total };
    },
    async sessionSummary(sessionId) {
      const key = "SELECT session_key FROM sessions WHERE session_id = ?";
      const row = await SESSION_KEY.get(sql, key, sessionId);
      return row && (await summaries(sql, JSON.stringify([row.session_key])))[0];
    },
    async sessionHeads() {
      const heads = "SELECT session_id, seq FROM sessions NOT INDEXED WHERE deleted = 0";
      return new Map(await HEAD.all(sql, heads));
    },
    async usageSince(at) {
      return { ...(await USED_ROW.one(sql, USED, at)) };
    },
  };
}

const LISTED = "deleted = 0";
const NEWEST_OF = "ORDER BY s.updated_at DESC, s.session_key DESC";
type Filter = { readonly where: string; readonly given: readonly Value[] };

/** Counted per filter, because no session matches two: with OR, Postgres compares the whole list for each row. */
async function counted(sql: Sql, parts: readonly Filter[]): Promise<number> {
  let total = 0;
  for (const { where, given } of parts) {
    const count = `SELECT count(*) AS total FROM sessions WHERE ${where}`;
    total += (await TOTAL.one(sql, count, ...given)).total;
  }
  return total;
}

function anyOf(parts: readonly Filter[]): Filter {
  const where = parts.map((part) => `(${part.where})`).join(" OR ");
  return { where, given: parts.flatMap(({ given }) => given) };
}

async function keysOf(
  sql: Sql,
  { where, given }: Filter,
  { limit, offset }: { limit: number; offset: number },
): Promise<string> {
  const keys = `SELECT session_key FROM sessions WHERE ${where} ${NEWEST} LIMIT ? OFFSET ?`;
  return JSON.stringify((await sql.rows(keys, ...given, limit, offset)).flat());
}

async function summaries(sql: Sql, keys: string): Promise<SessionSummary[]> {
  const rows = await SUMMARY_ROW.all(sql, `${SUMMARY} ${NEWEST_OF}`, keys);
  const sessions = await toSessions(sql, rows);
  return sessions.map(({ of_key: _key, ...session }) => ({
    ...session,
    preview: (session.preview ?? "").trim(),
  }));
}

/** Filters of which each matching session matches exactly one. */
async function filtersOf(
  searching: Searching,
  { q = "", source, workspace, model, hasTools, parent }: SessionQuery,
): Promise<Filter[]> {
  const where = [LISTED];
  const given: Value[] = [];
  for (const [column, value] of Object.entries({
    source,
    workspace,
    parent_session_id: parent,
  })) {
    if (value === undefined) continue;
    where.push(`${column} = ?`);
    given.push(value);
  }
  if (model !== undefined) {
    where.push("(model = ? OR substr(model, instr(model, '/') + 1) = ?)");
    given.push(model, model);
  }
  if (hasTools !== undefined) {
    const tools = `SELECT 1 FROM logs l WHERE l.session_key = sessions.session_key AND tool_calls > 0`;
    where.push(`${hasTools ? "" : "NOT "}EXISTS (${tools})`);
  }
  const always = { where: where.join(" AND "), given };
  const text = q.trim().slice(0, 1_000);
  if (text === "") return [always];
  return (await withText(searching, text)).map((found) => ({
    where: `${always.where} AND ${found.where}`,
    given: [...always.given, ...found.given],
  }));
}

/** The sessions whose title contains the text, and the other sessions whose messages contain the words. */
async function withText(searching: Searching, text: string): Promise<Filter[]> {
  const titled = await searching.sql.rows(TITLED, folded(text), FEW_TITLES + 1);
  const said = await sessionsWith(searching, text);
  const listed = "session_key IN (SELECT value FROM json_each(?))";
  if (titled.length <= FEW_TITLES) {
    return [{ where: listed, given: [JSON.stringify([...new Set([...titled.flat(), ...said])])] }];
  }
  return [
    { where: "instr(title_key, ?) > 0", given: [folded(text)] },
    {
      where: `${listed} AND instr(title_key, ?) = 0`,
      given: [JSON.stringify([...new Set(said)]), folded(text)],
    },
  ];
}

type SessionRow = RowOf<typeof SESSION_ROW>;

/** Reads which runner has which volume only if a run on a volume has no runner. */
async function toSessions<Of extends SessionRow>(sql: Sql, rows: readonly Of[]) {
  const some = rows.some(({ unclaimed_on }) => unclaimed_on !== null);
  const reached = some ? await reachedVolumes(sql) : new Set<string>();
  return rows.map((row) => toSession(row, reached));
}

function toSession<Of extends SessionRow>(row: Of, reached: ReadonlySet<string>) {
  const {
    goal_text: text,
    goal_status: status,
    activity_at: _at,
    waiting_at: _since,
    unclaimed_on: _volume,
    unclaimed_at: _unclaimed,
    ...rest
  } = row;
  const goal: SessionRecord["goal"] = text === null || status === null ? null : { text, status };
  return { ...rest, goal, activity: activityOf(row, reached) };
}

/** A pending request comes before any other activity of its run or a subagent. */
function activityOf(row: SessionRow, reached: ReadonlySet<string>): SessionRecord["activity"] {
  const { activity, activity_at, waiting_at, unclaimed_on: volume, unclaimed_at } = row;
  if (waiting_at !== null) return { text: WAITING, since: waiting_at };
  if (volume !== null && !reached.has(volume)) {
    return { text: waitingForVolume(volume), since: unclaimed_at ?? 0 };
  }
  return activity === null ? null : { text: activityText(activity), since: activity_at ?? 0 };
}
