// A Postgres database as an end of a migration. It is read in one transaction with a consistent snapshot, and written by
// statements of thousands of rows.
import pg from "pg";
import { blobStoreFor } from "../../blobs/settings.ts";
import type { Catalogue } from "../project/catalogue.ts";
import { bringUpToDate } from "../maintenance.ts";
import { clientConfig, Connection } from "../postgres/connection.ts";
import { bringSchemaUpToDate, versionOf } from "../postgres/migrate.ts";
import { shownUrl } from "../postgres/wait-for-database.ts";
import { SCHEMA } from "../postgres/schema.ts";
import { postgresReads } from "../postgres/sql-client.ts";
import { transactions } from "../postgres/transact.ts";
import { postgresSearchIndex } from "../postgres/full-text.ts";
import {
  BATCH_CHARS,
  BATCH_ROWS,
  type Cells,
  charsOf,
  MigrationError,
  type Place,
  quoted,
  type Rows,
  type Snapshot,
  type Source,
  type Target,
} from "./ends.ts";

type Database = Extract<Place, { url: string }>;
const NAME = "migrate";
const PATIENCE_MS = 10_000;

export async function postgresSource(place: Database): Promise<Source> {
  const { connection, end } = opened(place);
  const version = await connection.persist(() => versionOf(connection.pool));
  if (version === 0) {
    await connection[Symbol.asyncDispose]();
    throw new MigrationError(`There is no journal in ${end.name}.`);
  }
  await prepared(connection);
  return end;
}

export async function postgresTarget(place: Database, catalogue: Catalogue): Promise<Target> {
  const { connection, end } = opened(place);
  await prepared(connection);
  const columns = await columnsIn(connection.pool);
  const types = new Map(columns.map(({ table, name, type }) => [`${table}.${name}`, type]));
  const words = postgresSearchIndex;
  const sealing = { epoch: "", redact: undefined, words, catalogue };
  const transact = transactions({ connection, sealing, published: () => undefined });
  return {
    ...end,
    transact,
    emptied: (tables) => [[`TRUNCATE ${tables.map(quoted).join(", ")}`]],
    insert: (rows) => connection.withClient((client) => insert(client, types, rows)),
    async complete() {
      await bringUpToDate({ sql: postgresReads(connection), transact, words, catalogue });
      await connection.withClient(numberOn);
      // Without this, plans would be those for empty tables until autovacuum has run.
      await connection.pool.query(
        "ANALYZE sessions, logs, events, messages, usage, changes, insights",
      );
    },
  };
}

function opened(place: Database) {
  const { url, blobs, environment = {} } = place;
  const connection = new Connection({ url, name: NAME, patienceMs: PATIENCE_MS });
  const { pool } = connection;
  const end: Source = {
    name: shownUrl(url),
    blobs: blobStoreFor({ url: blobs, pool, environment }),
    isShared: true,
    snapshot: () => snapshotOf(url),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
  return { connection, end };
}

/** A database that cannot be used must not keep the process alive by its idle clients. */
async function prepared(connection: Connection): Promise<void> {
  try {
    await bringSchemaUpToDate(connection);
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

/** Without a timeout: reading a whole journal takes long, and that is no hanging network. */
async function snapshotOf(url: string): Promise<Snapshot> {
  const client = new pg.Client({ ...clientConfig({ url, name: NAME }), query_timeout: 0 });
  client.on("error", () => undefined); // the statement under way fails too
  await client.connect();
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await client.query("SET LOCAL enable_sort = off"); // the first row at once, from an index
  await client.query("SET LOCAL idle_in_transaction_session_timeout = 0"); // the other end may be slow
  const columns = await columnsIn(client);
  const named = Map.groupBy(columns, ({ table }) => table);
  return {
    tables: async () => [...named.keys()],
    columns: async (table) => (named.get(table) ?? []).map(({ name }) => name),
    batches: (sql) => batches(client, sql),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Of all tables. */
const COLUMNS = `SELECT relname AS "table", attname AS name, attidentity <> '' AS counted,
    format_type(atttypid, atttypmod) AS type
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
  WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`;
type Column = { table: string; name: string; type: string; counted: number };

async function columnsIn(client: Pick<pg.ClientBase, "query">): Promise<Column[]> {
  return (await client.query<Column>(COLUMNS, [SCHEMA])).rows;
}

async function* batches(client: pg.Client, sql: string): AsyncGenerator<Cells[]> {
  await client.query(`DECLARE moving NO SCROLL CURSOR FOR ${sql}`);
  try {
    for (let wanted = 200; ;) {
      const text = `FETCH ${wanted} FROM moving`;
      const rows = (await client.query({ text, rowMode: "array" })).rows as Cells[];
      if (rows.length === 0) return;
      yield rows;
      const chars = rows.reduce((sum, row) => sum + charsOf(row), 0);
      wanted = Math.ceil(Math.min(BATCH_ROWS, (BATCH_CHARS * rows.length) / chars));
    }
  } finally {
    await client.query("CLOSE moving").catch(() => undefined); // the earlier failure is reported
  }
}

type Types = ReadonlyMap<string, string>;

async function insert(client: pg.ClientBase, types: Types, { table, columns, rows }: Rows) {
  const names = columns.map(quoted).join(", ");
  const arrays = columns.map((name, at) => `$${at + 1}::${types.get(`${table}.${name}`)}[]`);
  const text = `INSERT INTO ${quoted(table)} (${names}) SELECT * FROM unnest(${arrays.join(", ")})`;
  // Only the last commit waits for the disk; earlier commits are durable by then.
  await client.query("BEGIN; SET LOCAL synchronous_commit = off");
  try {
    await client.query({ text, values: columns.map((_, at) => rows.map((row) => row[at])) });
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** The next key follows the copied ones. */
async function numberOn(client: pg.ClientBase): Promise<void> {
  for (const { table, name, counted } of await columnsIn(client)) {
    if (!counted) continue;
    const last = `max(${quoted(name)})`;
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), ${last}) FROM ${quoted(table)} HAVING ${last} IS NOT NULL`,
      [`${SCHEMA}.${quoted(table)}`, name],
    );
  }
}
