// SQLite does not detect a changed bit. Events carry hashes; every row of the other tables carries a copy of itself, kept
// by triggers, and is read through views that leave out a row that differs from its copy. So damaged data is not served
// (D7), whichever statement reads it, and `doctor` finds it. Postgres has checksums for every page.
import type { DatabaseSync } from "node:sqlite";

/**
 * Columns by table; “#” marks numbers, “*” the key of a table without rowids. Columns with “!” change with every append
 * and have a separate copy: writing the whole row again would cost more than the append.
 */
export type Copied = Readonly<Record<string, string>>;

/** The columns that hold the copies. */
export const COPIES: readonly string[] = ["row_copy", "hot_copy"];

type Column = {
  readonly name: string;
  readonly isNumber: boolean;
  readonly isKey: boolean;
  readonly copy: string;
};

function columnsOf(columns: string): Column[] {
  const named = columns.split(" ").filter((name) => name !== "");
  return named.map((each) => ({
    name: each.replace(/[#*!]/g, ""),
    isNumber: each.includes("#"),
    isKey: each.includes("*"),
    copy: each.includes("!") ? "hot_copy" : "row_copy",
  }));
}

/** Each copy with its columns. */
function copiesIn(columns: string): [copy: string, of: readonly Column[]][] {
  return [...Map.groupBy(columnsOf(columns), ({ copy }) => copy)];
}

/** Numbers as SQL literals, which loses no digit; texts unchanged, even with a NUL. */
function copyOf(columns: readonly Column[], row = ""): string {
  const parts = columns.map(({ name, isNumber }) =>
    isNumber ? `quote(${row}"${name}")` : `coalesce(${row}"${name}", '~')`,
  );
  return parts.join(" || '|' || ");
}

/** SQL: whether a row equals its copies. */
function isIntact(columns: string): string {
  return copiesIn(columns)
    .map(([copy, of]) => `${copy} IS ${copyOf(of)}`)
    .join(" AND ");
}

/**
 * SQL that changes the copies from some tables and columns to others, which must already exist. Only an intact row gets
 * a new copy, so updates and migrations do not hide damage.
 */
export function changeCopies(from: Copied, to: Copied): string {
  return Object.entries(to)
    .filter(([table, columns]) => from[table] !== columns)
    .flatMap(([table, columns]) => {
      const before = new Map(copiesIn(from[table] ?? ""));
      return copiesIn(columns).map(([copy, of]) =>
        changeCopy(table, { copy, before: before.get(copy), of, key: keyOf(columns) }),
      );
    })
    .join("\n");
}

function keyOf(columns: string): readonly string[] {
  const keys = columnsOf(columns).filter(({ isKey }) => isKey);
  return keys.length === 0 ? ["rowid"] : keys.map(({ name }) => `"${name}"`);
}

type Change = {
  readonly copy: string;
  readonly before: readonly Column[] | undefined;
  readonly of: readonly Column[];
  readonly key: readonly string[];
};

function changeCopy(table: string, { copy, before, of, key }: Change): string {
  const same = key.map((name) => `${name} = NEW.${name}`).join(" AND ");
  const names = of.map(({ name }) => `"${name}"`).join(", ");
  const set = (value: string) => `UPDATE ${table} SET ${copy} = ${value} WHERE ${same};`;
  const kept = `CASE WHEN OLD.${copy} IS ${copyOf(of, "OLD.")} THEN ${copyOf(of, "NEW.")} END`;
  const filled = before
    ? `DROP TRIGGER ${table}_${copy}_new;
DROP TRIGGER ${table}_${copy};
UPDATE ${table} SET ${copy} = CASE WHEN ${copy} IS ${copyOf(before)} THEN ${copyOf(of)} END;`
    : `ALTER TABLE ${table} ADD COLUMN ${copy} TEXT;
UPDATE ${table} SET ${copy} = ${copyOf(of)};`;
  return `${filled}
CREATE TRIGGER ${table}_${copy}_new AFTER INSERT ON ${table} BEGIN ${set(copyOf(of, "NEW."))} END;
CREATE TRIGGER ${table}_${copy} AFTER UPDATE OF ${names} ON ${table} BEGIN ${set(kept)} END;`;
}

/** From here on the connection reads only intact rows, and can no longer write to those tables. */
export function readIntactRows(db: DatabaseSync, tables: Copied): void {
  for (const [table, columns] of Object.entries(tables)) {
    const names = columnsOf(columns).map(({ name }) => `"${name}"`);
    db.exec(`CREATE TEMP VIEW ${table} AS SELECT ${names.join(", ")} FROM main.${table}
      WHERE ${isIntact(columns)}`);
  }
}

/** How many rows of a table differ from their copies. */
export function countDamaged(table: string, columns: string): string {
  return `SELECT count(*) AS damaged FROM ${table} WHERE NOT (${isIntact(columns)})`;
}

/** Accepts the rows of a table as intact, after they were rebuilt from the events. */
export function takeAsIntact(table: string, columns: string): string {
  const set = copiesIn(columns).map(([copy, of]) => `${copy} = ${copyOf(of)}`);
  return `UPDATE ${table} SET ${set.join(", ")} WHERE NOT (${isIntact(columns)})`;
}
