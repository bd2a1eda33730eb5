// The history of a journal in SQLite, append-only: a journal that any release wrote opens in every later one, and a newer
// journal is refused and left untouched (D9). What a migration adds to tables is rendered from their records (runs.ts and
// others); its other SQL is here. Postgres uses the same numbers (../postgres/schema.ts).
import { changeCopies, type Copied } from "../sqlite/row-copies.ts";
import { render, sqliteColumns, type Table, type TableColumn } from "./table.ts";
import { TABLES } from "./tables.ts";

/** The migration that gave every row a copy of itself. */
const COPIES_SINCE = 14;

export const SEARCH_FROM =
  "INSERT INTO meta (key, value) SELECT 'search_from', CAST(coalesce(max(log_key), 0) + 1 AS TEXT) FROM logs";
export const COUNT_LATER =
  "INSERT INTO insight_backlog (log_key, seq) SELECT log_key, seq FROM logs WHERE kind = 'run' AND seq > 0;";

/** SQL of SQLite's migrations that runs after their tables and columns exist. */
const SQLITE: Readonly<Record<number, string>> = {
  2: `CREATE VIRTUAL TABLE message_words USING fts5 (
  text, content = 'messages', content_rowid = 'message_key',
  tokenize = "unicode61 remove_diacritics 2"
);`,
  3: "UPDATE sessions SET updated_hour = CAST(updated_at / 3600 AS INTEGER);",
  8: `DROP TABLE message_words;
CREATE VIRTUAL TABLE search_words USING fts5 (
  text, about, content = 'search_rows', content_rowid = 'row_key',
  tokenize = "unicode61 remove_diacritics 2", prefix = '1 2 3', columnsize = 0
);
${SEARCH_FROM};`,
  9: COUNT_LATER,
  // Indexes words as search/query.ts splits them instead of the text: FTS5 splits words differently in most scripts, so
  // words with marks (가, が, й, ή, हि) were never found. The index stores no text, so deleting a row from it needs no
  // words. All of it is rebuilt in small steps.
  13: `DROP TABLE search_words;
DELETE FROM search_rows;
CREATE VIRTUAL TABLE search_words USING fts5 (
  text, about, content = '', contentless_delete = 1,
  tokenize = "unicode61 remove_diacritics 0", prefix = '1 2 3'
);
${SEARCH_FROM} WHERE true
  ON CONFLICT (key) DO UPDATE SET value = excluded.value;`,
  // The checksum of stored folds did not cover their log; they are deleted and made again when needed.
  14: "DELETE FROM snapshots;",
};

const sinces = TABLES.flatMap((each) => [
  each.since,
  ...Object.values<TableColumn>(each.columns).map(({ since = 0 }) => Math.floor(since)),
  ...Object.values(each.indexes ?? {}).map((index) =>
    typeof index === "string" ? 0 : (index.since ?? 0),
  ),
]);
const latest = Math.max(...sinces, ...Object.keys(SQLITE).map(Number));
export const VERSIONS: readonly number[] = Array.from({ length: latest }, (_, at) => at + 1);

export const MIGRATIONS: readonly string[] = VERSIONS.map((version) => {
  const tables = render(TABLES, "sqlite", { after: version - 1, upTo: version });
  return [tables, SQLITE[version] ?? "", copies(version)].join("\n");
});

/** Columns of tables whose rows have copies, after a migration: see ../sqlite/row-copies.ts. */
function copied(upTo: number): Copied {
  const tables = TABLES.filter((each) => each.copied !== false && each.since <= upTo);
  return Object.fromEntries(tables.map((each) => [each.name, copiedColumns(each, upTo)]));
}

function copiedColumns(table: Table, upTo: number): string {
  const keys = table.withoutRowid ? (table.key?.split(", ") ?? []) : [];
  return sqliteColumns(table, upTo)
    .map(([name, { sqlite, key, hot }]) => {
      const isKey = keys.includes(name) || (table.withoutRowid && key === "primary");
      return `${name}${sqlite === "TEXT" ? "" : "#"}${isKey ? "*" : ""}${hot ? "!" : ""}`;
    })
    .join(" ");
}

function copies(version: number): string {
  if (version < COPIES_SINCE) return "";
  const before = version === COPIES_SINCE ? {} : copied(version - 1);
  return changeCopies(before, copied(version));
}

export const COPIED: Copied = copied(latest);
