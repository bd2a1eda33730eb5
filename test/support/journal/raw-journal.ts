// Reads the journal without the product: its rows, by SQL that both databases understand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Client } from "pg";
import { textOf } from "../runs.ts";

export type Row = Record<string, unknown>;
/** The home of a program, or the address of a database. */
export type RawPlace = { readonly home: string } | { readonly url: string };

const FILES = ["journal.db", "journal.db-wal"];

/** Parameters are `?`; numbers come as numbers. */
export async function rawSql(
  place: RawPlace,
  sql: string,
  ...params: (string | number)[]
): Promise<Row[]> {
  const url = urlOf(place);
  if (url !== undefined) return withClient(url, (client) => ask(client, sql, params));
  const path = join((place as { home: string }).home, "journal.db");
  using db = new DatabaseSync(path, { readOnly: /^\s*SELECT/.test(sql) }); // makes no file
  return db.prepare(sql).all(...(params satisfies SQLInputValue[])) as Row[];
}

/** Everything that is stored, to search it for what must not be there. */
export async function rawText(place: RawPlace): Promise<string> {
  const url = urlOf(place);
  if (url === undefined) {
    const { home } = place as { home: string };
    return FILES.map((name) => bytesOf(join(home, name))).join("\n");
  }
  return withClient(url, async (client) => {
    const sql = "SELECT tablename FROM pg_tables WHERE schemaname = 'quarterdeck'";
    const blobs = await ask(client, "SELECT encode(bytes, 'escape') AS text FROM blob_chunks");
    const texts = blobs.map(({ text }) => String(text));
    for (const { tablename } of await ask(client, sql)) {
      const rows = await ask(
        client,
        `SELECT t::text AS text FROM quarterdeck."${String(tablename)}" t`,
      );
      texts.push(...rows.map(({ text }) => String(text)));
    }
    return texts.join("\n");
  });
}

function urlOf(place: RawPlace): string | undefined {
  if ("url" in place) return place.url;
  const config = JSON.parse(textOf(join(place.home, "config.json")) || "{}") as Row;
  return config["database"] as string | undefined;
}

async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url, options: "-c search_path=quarterdeck" });
  client.on("error", () => undefined); // the query fails, too
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const INT8 = 20;
const types = {
  getTypeParser: (oid: number) => (oid === INT8 ? Number : (text: string) => text),
};

async function ask(client: Client, sql: string, params: (string | number)[] = []): Promise<Row[]> {
  let count = 0;
  const text = sql.replaceAll("?", () => `$${(count += 1)}`);
  return (await client.query<Row>({ text, values: params, types: types as never })).rows;
}

function bytesOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
