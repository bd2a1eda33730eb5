// Which tables are copied as they are: all that are not rebuilt, so that a table that somebody adds is not forgotten.
import { hash } from "node:crypto";
import { TABLES } from "../tables/tables.ts";
import { storable } from "../postgres/translate.ts";
import { type Cells, MigrationError, quoted, type Snapshot, type Target } from "./ends.ts";

/** The index of words, and blobs, which are brought through their store. */
const WORDS = /^search_words(_|$)/;
const NOT_BROUGHT = new Set([
  "blobs",
  "blob_chunks",
  ...TABLES.filter(({ kind }) => kind !== "record").map(({ name }) => name),
]);

/** Sessions come first: logs belong to them. */
export async function tablesIn(snapshot: Snapshot): Promise<string[]> {
  const all = await snapshot.tables();
  const brought = all.filter(
    (table) => !NOT_BROUGHT.has(table) && !WORDS.test(table) && !table.startsWith("sqlite_"),
  );
  return brought.toSorted((a, b) => Number(b === "sessions") - Number(a === "sessions"));
}

export type TableDigest = { readonly rows: number; readonly digest: string };

/** Problems by log: a log that did not verify is quarantined in the target. */
export type Bringing = {
  readonly from: Snapshot;
  readonly to: Target;
  readonly problems: ReadonlyMap<string, string>;
};

/** What the target must have now. */
export async function bringTable(table: string, deps: Bringing): Promise<TableDigest> {
  const { from, to, problems } = deps;
  const columns = await from.columns(table);
  const changed = changesTo(table, columns, problems);
  const digest = rowDigest();
  for await (const batch of from.batches(selectOf(table, columns))) {
    const rows = batch.map((row) => changed(row.map(storable)));
    rows.forEach(digest.add);
    await to.insert({ table, columns, rows });
  }
  return digest.end();
}

/** The rows of the target, in the source's columns. */
export async function digestOf(
  table: string,
  { from, there }: { from: Snapshot; there: Snapshot },
): Promise<TableDigest> {
  const digest = rowDigest();
  const columns = await from.columns(table);
  for await (const batch of there.batches(selectOf(table, columns))) batch.forEach(digest.add);
  return digest.end();
}

export async function requireTables(from: Snapshot, there: Snapshot): Promise<void> {
  for (const table of await tablesIn(from)) {
    const known = new Set(await there.columns(table));
    const unknown = (await from.columns(table)).find((column) => !known.has(column));
    if (unknown === undefined) continue;
    throw new MigrationError(`The target has no place for “${unknown}” of “${table}”.`);
  }
}

function selectOf(table: string, columns: readonly string[]): string {
  return `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(table)}`;
}

/** Claims belong to runners of the source: runners of the target may claim the runs. */
function changesTo(
  table: string,
  columns: readonly string[],
  problems: ReadonlyMap<string, string>,
): (row: Cells) => Cells {
  if (table !== "logs") return (row) => row;
  const [id, quarantined] = [columns.indexOf("log_id"), columns.indexOf("quarantined")];
  const freed = [columns.indexOf("runner_id"), columns.indexOf("lease_until")];
  return (row) => {
    for (const at of freed) row[at] = null;
    row[quarantined] ??= problems.get(String(row[id])) ?? null;
    return row;
  };
}

/** Independent of the order, because each database sorts texts differently. */
function rowDigest() {
  const rows: string[] = [];
  return {
    add: (row: Cells) => void rows.push(hash("sha256", JSON.stringify(row.map(comparable)))),
    end: (): TableDigest => ({
      rows: rows.length,
      digest: hash("sha256", rows.toSorted().join("")),
    }),
  };
}

function comparable(value: Cells[number]): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}
