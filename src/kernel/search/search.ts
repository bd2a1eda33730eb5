// Search. Reads the newest matching rows, window by window, until there are enough to rank, and returns the best. So an
// answer costs the same however frequent a word is, and the cursor continues from there. Results are checked like every
// event, and a deleted session is not found.
import { HitKind, HitRole, type SearchHit, type SearchView } from "../api/records/search.ts";
import type { Reads, SearchQuery } from "../journal/journal.ts";
import type { Match, SearchIndex } from "./index.ts";
import { markOf } from "./marks.ts";
import { wantedIn, type Term, type Wanted } from "./query.ts";
import { ranked, snippetOf, type Candidate } from "./rank.ts";
import { daysBetween, endsOf, FOREVER } from "./time.ts";
import { integer, oneOf, rowsOf } from "../journal/rows.ts";
import type { Sql, Value } from "../journal/sql.ts";
import { SEARCH_ROWS } from "../journal/tables/lists.ts";
import { LOGS, SESSIONS } from "../journal/tables/runs.ts";
import { pick } from "../journal/tables/table.ts";

const MAX_HITS = 100;
/** How many hits are ranked at a time. */
const CANDIDATES = 400;
/** The time limit of one request; the next page continues. */
const PATIENCE_MS = 50;
const MAX_PROJECT_SESSIONS = 200;

export type Searching = { readonly sql: Sql; readonly words: SearchIndex };

const SESSION_KEY = rowsOf("sessions", pick(SESSIONS, "session_key"));
const LAST = rowsOf("search_rows", { last: integer });
const CANDIDATE = rowsOf("search_rows", {
  ...pick(SEARCH_ROWS, "row_key", "kind", "created_at", "text"),
  session_key: integer,
});

const NOTHING: SearchView = { hits: [], next: null, indexing: false };

export function search(searching: Searching): Pick<Reads, "search"> {
  return {
    async search(query) {
      const wanted = wantedIn(query.q);
      const limit = Math.min(Math.max(0, Math.trunc(query.limit) || 0), MAX_HITS);
      const indexing = await isIndexing(searching.sql);
      if (wanted.terms.length === 0 || limit === 0) return { ...NOTHING, indexing };
      const filter = await filterOf(searching.sql, query, wanted);
      if (!filter) return { ...NOTHING, indexing };
      return { ...(await pageOf(searching, filter, { ...query, limit })), indexing };
    },
  };
}

/** Session keys of the newest messages with these words; a prefix counts if no message has the whole word. */
export async function sessionsWith(searching: Searching, text: string): Promise<number[]> {
  const wanted = wantedIn(text);
  if (wanted.terms.length === 0) return [];
  const match = { ...wanted, marks: [markOf.kind("message")], any: [] };
  const everything = { match, project: null, since: 0, until: FOREVER };
  const newest = await newestOf(searching, everything, { upTo: FOREVER, most: 300, often: 1 });
  return newest.rows.map(({ session_key }) => session_key);
}

async function isIndexing(sql: Sql): Promise<boolean> {
  const from = await sql.get("SELECT value FROM meta WHERE key = 'search_from'");
  return Number(from?.["value"] ?? 0) > 1;
}

type Filter = {
  readonly match: Match;
  readonly project: string | null;
  readonly since: number;
  readonly until: number;
};

/** Undefined: nothing can be found. */
async function filterOf(sql: Sql, query: SearchQuery, wanted: Wanted): Promise<Filter | undefined> {
  const { kind, role, tool, profile, workspace, sessionId, project = null } = query;
  const marks: string[] = [];
  if (role !== undefined) marks.push(markOf.role(role));
  if (tool !== undefined) marks.push(markOf.tool(tool));
  if (profile !== undefined) marks.push(markOf.profile(profile));
  if (workspace !== undefined) marks.push(markOf.workspace(workspace));
  if (sessionId !== undefined) {
    const key = "SELECT session_key FROM sessions WHERE session_id = ?";
    const row = await SESSION_KEY.get(sql, key, sessionId);
    if (!row) return undefined;
    marks.push(markOf.session(row.session_key));
  }
  const any: (readonly string[])[] = [];
  if (kind !== undefined && kind.length > 0) any.push(kind.map(markOf.kind));
  const { since = 0, until = FOREVER } = query;
  const timed = since > 0 || until < FOREVER;
  const days = timed ? await daysBetween(sql, { since, until }) : undefined;
  if (days?.length === 0) return undefined;
  if (days) any.push(days);
  if (project !== null) {
    const keys = "SELECT session_key FROM sessions WHERE project_id = ? LIMIT ?";
    const rows = await SESSION_KEY.all(sql, keys, project, MAX_PROJECT_SESSIONS + 1);
    if (rows.length === 0) return undefined;
    if (rows.length <= MAX_PROJECT_SESSIONS) {
      any.push(rows.map(({ session_key }) => markOf.session(session_key)));
    }
  }
  return { match: { ...wanted, marks, any }, project, since, until };
}

/** The index has prefixes of this many letters. */
const SHORT_PREFIX = 3;
const OFTEN = 100; // hits
/** A window with few hits is enlarged, because a rare word stays rare. */
const GROWTH = 4;

type Span = { readonly upTo: number; readonly most: number; readonly window: number };
/** `below`: where to continue; null: nothing is left. */
type Newest = { readonly rows: readonly Candidate[]; readonly below: number | null };

/** A long last word that is frequent as a whole is not also used as a prefix, because each completion costs. */
async function newestOf(
  searching: Searching,
  filter: Filter,
  { often = OFTEN, ...wanted }: Omit<Span, "window"> & { readonly often?: number },
): Promise<Newest> {
  const { terms } = filter.match;
  const { window, wideWindow } = searching.words;
  const last = terms.at(-1);
  if (!last?.prefix || (last.words.at(-1) ?? "").length <= SHORT_PREFIX) {
    return inWindows(searching, filter, { ...wanted, window });
  }
  const whole = [...terms.slice(0, -1), { ...last, prefix: false }];
  const exact = { ...filter, match: { ...filter.match, terms: whole } };
  const found = await inWindows(searching, exact, { ...wanted, window });
  if (found.below !== null || found.rows.length >= often) return found;
  return inWindows(searching, filter, { ...wanted, window: wideWindow });
}

async function inWindows(
  { sql, words }: Searching,
  filter: Filter,
  { upTo, most, window }: Span,
): Promise<Newest> {
  const { match, project, since, until } = filter;
  const ends = await endsOf(sql, filter);
  const rows: Candidate[] = [];
  if (!ends) return { rows, below: null };
  const { first, last } = ends;
  const patience = performance.now() + PATIENCE_MS;
  let [top, size] = [Math.min(upTo, last), window];
  if (top < first) return { rows, below: null };
  do {
    const after = Math.max(top - size, first - 1);
    const given = words.given(match, { after, upTo: top });
    const values: Value[] = [...given, project, since, until, most - rows.length];
    const some: Candidate[] = await CANDIDATE.all(sql, words.candidates, ...values);
    rows.push(...some);
    if (rows.length >= most) return { rows, below: (rows.at(-1)?.row_key ?? first) - 1 };
    top = after;
    if (some.length * GROWTH < most) size *= GROWTH;
  } while (top >= first && performance.now() < patience);
  return { rows, below: top < first ? null : top };
}

type Paging = Pick<SearchQuery, "cursor" | "bySession"> & { readonly limit: number };

async function pageOf(searching: Searching, filter: Filter, page: Paging) {
  const { terms } = filter.match;
  const patience = performance.now() + PATIENCE_MS;
  const hits: SearchHit[] = [];
  let { upTo, offset } = placeOf(page.cursor);
  let next: string | null = null;
  for (let full = false; !full;) {
    // The start of the first page, so that events appended meanwhile move nothing.
    if (upTo === FOREVER) upTo = await newestKey(searching.sql);
    const { rows, below } = await newestOf(searching, filter, { upTo, most: CANDIDATES });
    const best =
      page.bySession === true ? onePerSession(ranked(rows, terms)) : alone(ranked(rows, terms));
    const shown = best.slice(offset, offset + page.limit - hits.length);
    hits.push(...(await hitsOf(searching.sql, shown, terms)));
    offset += shown.length;
    full = true;
    if (offset < best.length) next = `${upTo}.${offset}`;
    else if (below === null) next = null;
    else {
      [upTo, offset] = [below, 0];
      next = `${upTo}.0`;
      full = hits.length >= page.limit || performance.now() > patience;
    }
  }
  return { hits, next };
}

async function newestKey(sql: Sql): Promise<number> {
  return (await LAST.one(sql, "SELECT coalesce(max(row_key), 0) AS last FROM search_rows")).last;
}

export const CURSOR = /^(-?\d{1,15})\.(\d{1,4})$/;

function placeOf(cursor: string | undefined): { upTo: number; offset: number } {
  const parts = CURSOR.exec(cursor ?? "");
  return parts
    ? { upTo: Number(parts[1]), offset: Number(parts[2]) }
    : { upTo: FOREVER, offset: 0 };
}

type Chosen = { readonly row_key: number; readonly more: number };

function alone(best: readonly Candidate[]): Chosen[] {
  return best.map(({ row_key }) => ({ row_key, more: 0 }));
}

function onePerSession(best: readonly Candidate[]): Chosen[] {
  const sessions = Map.groupBy(best, ({ session_key }) => session_key);
  return [...sessions.values()].flatMap(([first, ...others]) =>
    first ? [{ row_key: first.row_key, more: others.length }] : [],
  );
}

const HITS = `
  SELECT r.row_key, s.session_id, l.log_id AS run_id, r.seq, r.kind, r.role, r.tool, s.title, r.created_at, r.text
  FROM search_rows r JOIN logs l ON l.log_key = r.log_key JOIN sessions s ON s.session_key = l.session_key
  WHERE row_key IN (SELECT value FROM json_each(?)) AND s.deleted = 0 AND l.quarantined IS NULL`;

const HIT = rowsOf("search_rows", {
  ...pick(SEARCH_ROWS, "row_key", "seq", "tool", "created_at", "text"),
  ...pick(SESSIONS, "session_id", "title"),
  run_id: LOGS.columns.log_id,
  kind: oneOf(HitKind.options),
  role: oneOf(HitRole.options),
});

async function hitsOf(sql: Sql, chosen: readonly Chosen[], terms: readonly Term[]) {
  const keys = JSON.stringify(chosen.map(({ row_key }) => row_key));
  const rows = await HIT.all(sql, HITS, keys);
  const byKey = new Map(rows.map((row) => [row.row_key, row]));
  return chosen.flatMap(({ row_key, more }): SearchHit[] => {
    const row = byKey.get(row_key);
    if (!row) return []; // deleted since
    const { row_key: _key, text, tool, ...rest } = row;
    return [{ ...rest, tool: tool === "" ? null : tool, ...snippetOf(text, terms), more }];
  });
}
