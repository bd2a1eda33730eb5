// Released migrations never change, because journals have been through them. If a hash differs, a table's record was
// changed instead of extended: give what is new its own `since`, and add the hash of the new migration here.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import pg from "pg";
import { sharedPostgres } from "../../../../test/support/postgres/postgres.ts";
import { postgresSchema, sqliteSchema } from "../../../../test/support/journal/schema-dump.ts";
import { MIGRATIONS as POSTGRES_MIGRATIONS, SCHEMA } from "../postgres/schema.ts";
import { id, integer, nullable, text } from "../rows.ts";
import { MIGRATIONS } from "./migrations.ts";
import { column, render, table } from "./table.ts";

const SQLITE =
  "6edd95c8dc08b91f ebab374f0605a527 926cd46810015de9 7806c3a7434d419b 943f44430dc64429 4eaaacb30f464146 499d8640cd34b0ea fe19fe0d762cfb47 142db33a88310ea0 e84e3bada2156b94 c85803060651751f 9e7919c92e6a87c9 820f43d731dc45c9 e00923c64675f166".split(
    " ",
  );
const POSTGRES =
  "e9f5f559cee01d0d 3a3999d4cb7059a0 1fb5dc24c84ba523 7f87bbdf4c6ee15d 94a3ef56c031d08f 54341bae01f729ba b87dd15d34e06f0e cef958c70ebbbe58 01f92c2887cebc74".split(
    " ",
  );

const digest = (lines: readonly string[]) => hash("sha256", lines.join("\n")).slice(0, 16);

test("[D9] every migration leaves SQLite as it did when it was released", () => {
  using db = new DatabaseSync(":memory:");
  const found = MIGRATIONS.map((sql) => {
    db.exec(sql);
    return digest(sqliteSchema(db));
  });
  assert.deepEqual(found, SQLITE);
});

test("[D9] every migration leaves Postgres as it did when it was released", async () => {
  const server = await sharedPostgres();
  const url = await server.database();
  const client = new pg.Client(url);
  await client.connect();
  const found: string[] = [];
  await client.query(`CREATE SCHEMA ${SCHEMA}; SET search_path = ${SCHEMA}`);
  for (const sql of POSTGRES_MIGRATIONS) {
    await client.query(sql);
    found.push(digest(await postgresSchema(client, SCHEMA)));
  }
  await client.end();
  await server.drop(url);
  assert.deepEqual(found, POSTGRES);
});

const JOBS = table(
  "jobs",
  {
    since: 15,
    kind: "record",
    indexes: { jobs_size: { on: "(size)", since: 16 } },
  },
  {
    job_id: column(id, { key: "primary" }),
    note: nullable(text),
    size: column(integer, { default: 0, since: 16.2 }),
    label: column(text, { default: "it's", since: 16.1 }),
  },
);

test("a record becomes the SQL of each migration that changes its table, in both databases", () => {
  const sqlite = (upTo: number) => render([JOBS], "sqlite", { after: upTo - 1, upTo });
  assert.equal(
    sqlite(15),
    "CREATE TABLE jobs (\n  job_id TEXT PRIMARY KEY,\n  note TEXT\n) STRICT;",
  );
  assert.deepEqual(sqlite(16).split("\n"), [
    "ALTER TABLE jobs ADD COLUMN label TEXT NOT NULL DEFAULT 'it''s';",
    "ALTER TABLE jobs ADD COLUMN size INTEGER NOT NULL DEFAULT 0;",
    "CREATE INDEX jobs_size ON jobs (size);",
  ]);
  assert.equal(sqlite(17), "");
  const both = render([JOBS], "postgres", { after: 14, upTo: 16 });
  assert.match(both, /job_id text COLLATE "C" PRIMARY KEY,\n {2}note text,\n {2}size bigint/);
});
