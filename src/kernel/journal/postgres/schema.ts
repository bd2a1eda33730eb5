// The history of a journal in Postgres: the tables of SQLite (../tables), with what makes appends cheap here. An
// append-only list: a journal that any release wrote opens in every later one.
import { BLOBS_DDL } from "../../blobs/ddl.ts";
import { COUNT_LATER, SEARCH_FROM, VERSIONS } from "../tables/migrations.ts";
import { render } from "../tables/table.ts";
import { TABLES } from "../tables/tables.ts";
import { appendEvents, appendToLog } from "./append-events.ts";

export const SCHEMA = "quarterdeck";

/** The first migration here equals SQLite's first five; 13 was only about SQLite's search index. */
const WITHOUT = [1, 2, 3, 4, 13];

/** SQL of migrations that runs after their tables and columns exist. */
const BESIDE: Readonly<Record<number, string>> = {
  5: `CREATE INDEX messages_words ON messages USING gin (words);\n${BLOBS_DDL}\n${appendEvents}`,
  8: `DROP INDEX messages_words;
ALTER TABLE messages ALTER COLUMN words SET DEFAULT '';
CREATE SEQUENCE search_keys;
${SEARCH_FROM};`,
  9: COUNT_LATER,
  14: appendToLog,
};

const versions = VERSIONS.filter((version) => !WITHOUT.includes(version));

export const MIGRATIONS: readonly string[] = versions.map((upTo, at) => {
  const tables = render(TABLES, "postgres", { after: versions[at - 1] ?? 0, upTo });
  return [tables, BESIDE[upTo] ?? ""].join("\n");
});
