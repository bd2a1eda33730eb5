// Searches and lists with 100,000 sessions and 1,000,000 events, in SQLite and in Postgres, with a mix of real queries.
// The floor is the database's own answer to the same words on the same data: the matching rows, newest first.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Journal, SearchQuery } from "../src/kernel/journal/journal.ts";
import { openPostgres } from "../src/kernel/journal/postgres/postgres.ts";
import { SCHEMA } from "../src/kernel/journal/postgres/schema.ts";
import { journalPath, openSqlite } from "../src/kernel/journal/sqlite/sqlite.ts";
import { startPostgres } from "../test/support/postgres/postgres.ts";
import { anyWord, copyToPostgres, fillSqlite, word } from "./large-journal.ts";
import { tempDir } from "./place.ts";
import { quantile, type Line } from "./stats.ts";
import { FEATURES } from "../src/features/journal-features.ts";

const ROUNDS = 40;
const PAGE = { limit: 50, offset: 0 };

type Asked = Omit<SearchQuery, "limit">;
type Bare = { readonly found: (q: string) => unknown; readonly listed: () => unknown };
type Deps = { readonly name: string; readonly journal: Journal; readonly bare: Bare };

/** One round of queries: frequent and rare words, half typed, phrases, exclusions and filters. */
function questions(): Asked[] {
  const often = word(Math.floor(Math.random() * 3));
  const now = Date.now() / 1_000;
  return [
    { q: anyWord() },
    { q: `${anyWord()} ${anyWord()}` },
    { q: often },
    { q: `${often} ${anyWord()} ${word(3)}` },
    { q: anyWord().slice(0, 3) },
    { q: `${often} ${anyWord().slice(0, 2)}` },
    { q: `"${often} ${word(4)}"` },
    { q: `${often} -${word(5)}` },
    { q: often, kind: ["file"] },
    { q: often, profile: "rare" },
    { q: often, sessionId: "s77" },
    { q: often, since: now - 200 * 86_400, until: now - 190 * 86_400 },
    { q: often, bySession: true },
  ];
}

type Figures = { readonly search: readonly Line[]; readonly sessions: readonly Line[] };
let measured: Promise<Figures> | undefined; // both use the same journals, which take a minute to make

export async function benchSearch(): Promise<Line[]> {
  return [...(await (measured ??= measure())).search];
}

export async function benchSessions(): Promise<Line[]> {
  return [...(await (measured ??= measure())).sessions];
}

async function measure(): Promise<Figures> {
  using place = tempDir();
  const home = join(place.path, "home");
  await fillSqlite(home);
  const inSqlite = await withSqlite(home, figures);
  const inPostgres = await withPostgres(home, figures);
  return {
    search: [...inSqlite.search, ...inPostgres.search],
    sessions: [...inSqlite.sessions, ...inPostgres.sessions],
  };
}

async function figures(deps: Deps): Promise<Figures> {
  return { search: await searches(deps), sessions: await lists(deps) };
}

async function searches({ name, journal, bare }: Deps): Promise<Line[]> {
  const [ours, floor]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const asked of questions()) {
      const spent = await taken(() => journal.reads.search({ ...asked, limit: 20 }));
      const least = await taken(() => bare.found(asked.q));
      if (round === 0) continue;
      ours.push(spent);
      floor.push(least);
    }
  }
  return both(`${name}: search, 1,000,000 events`, ours, floor);
}

async function lists({ name, journal, bare }: Deps): Promise<Line[]> {
  const asked: Record<string, () => Promise<unknown>> = {
    "the sidebar's list": () => journal.reads.sessions(PAGE),
    "the 50,000th row of it": () => journal.reads.sessions({ limit: 50, offset: 50_000 }),
    "the console's list": () => journal.reads.sessionSummaries(PAGE),
    "the same by words": () => journal.reads.sessionSummaries({ ...PAGE, q: anyWord() }),
  };
  const lines: Line[] = [];
  for (const [what, list] of Object.entries(asked)) {
    const [ours, floor]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [spent, least] = [await taken(list), await taken(bare.listed)];
      if (round === 0) continue;
      ours.push(spent);
      floor.push(least);
    }
    lines.push(...both(`${name}: ${what}`, ours, floor));
  }
  return lines;
}

async function taken(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function both(what: string, ours: readonly number[], floor: readonly number[]): Line[] {
  return [["p50", 0.5] as const, ["p99", 0.99] as const].map(([name, q]) => ({
    what: `${what}, ${name}`,
    ours: quantile(ours, q),
    floor: quantile(floor, q),
    unit: "ms",
    better: "lower",
    goal: "≤ 100 ms",
  }));
}

async function withSqlite<Result>(home: string, use: (deps: Deps) => Promise<Result>) {
  await using journal = await openSqlite({ features: FEATURES, home });
  using db = new DatabaseSync(journalPath(home), { readOnly: true });
  const found = db.prepare(
    "SELECT rowid FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT 20",
  );
  const listed = db.prepare(LISTED);
  const match = (q: string) => `${wordsIn(q, '"').join(" ")}*`;
  const bare: Bare = { found: (q) => found.all(match(q)), listed: () => listed.all() };
  return await use({ name: "SQLite", journal, bare });
}

async function withPostgres<Result>(home: string, use: (deps: Deps) => Promise<Result>) {
  await using server = await startPostgres({ fsync: false, settings: { shared_buffers: "512MB" } });
  const url = await server.database();
  await using journal = await openPostgres({ features: FEATURES, url });
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${SCHEMA}` });
  await client.connect();
  await using _closed = { [Symbol.asyncDispose]: () => client.end() };
  await copyToPostgres(home, client);
  const found = `SELECT row_key FROM search_rows WHERE words @@ CAST($1 AS tsquery)
    ORDER BY row_key DESC LIMIT 20`;
  const match = (q: string) => `${wordsIn(q, "'").join(" & ")}:*`;
  const bare: Bare = {
    found: (q) => client.query(found, [match(q)]),
    listed: () => client.query(LISTED),
  };
  return await use({ name: "Postgres", journal, bare });
}

const LISTED =
  "SELECT session_id, title FROM sessions WHERE deleted = 0 ORDER BY updated_hour DESC LIMIT 50";

function wordsIn(q: string, quote: string): string[] {
  return (q.match(/[a-z]+/g) ?? []).map((each) => quote + each + quote);
}
