// Runs our statements on a Postgres client. Frequent statements are prepared once per connection.
import { hash } from "node:crypto";
import type pg from "pg";
import type { Row, Sql, Value } from "../sql.ts";
import type { Connection } from "./connection.ts";
import { storable, translate } from "./translate.ts";

const names = new Map<string, string>();
/** Longer statements have one value per list item: each would be prepared for a single use. */
const MAX_PREPARED = 2_500;

function queryOf(sql: string, params: readonly Value[]) {
  const { text } = translate(sql);
  const values = params.map(storable);
  if (text.length > MAX_PREPARED) return { text, values };
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `q${hash("sha256", text).slice(0, 24)}`));
  return { name, text, values };
}

type Client = Pick<pg.ClientBase, "query">;

export async function all(client: Client, sql: string, params: readonly Value[]): Promise<Row[]> {
  return (await client.query(queryOf(sql, params))).rows as Row[];
}

export async function run(client: Client, sql: string, params: readonly Value[]): Promise<number> {
  return (await client.query(queryOf(sql, params))).rowCount ?? 0;
}

/** Reads what is committed, on whichever client is free. */
export function postgresReads(connection: Connection): Sql {
  const ask = <Result>(work: (client: Client) => Promise<Result>) =>
    connection.persist(() => connection.withClient(work));
  return {
    get: (sql, ...params) => ask(async (client) => (await all(client, sql, params))[0]),
    all: (sql, ...params) => ask((client) => all(client, sql, params)),
    rows: (sql, ...params) =>
      ask(async (client) => {
        const query = { ...queryOf(sql, params), rowMode: "array" as const };
        return (await client.query(query)).rows as unknown[][];
      }),
  };
}
