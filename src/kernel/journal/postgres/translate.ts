// Translates our SQL (see ../sql.ts) to Postgres. Each text is parsed once. It is sent with parameters, or, where many
// statements go in one round trip, with the values written into it.
import type { Statement, Value } from "../sql.ts";

type Translated = {
  readonly text: string; // with $1, $2 …
  /** The parts of the text between the values, and the index of the value after each part but the last. */
  readonly parts: readonly string[];
  readonly values: readonly number[];
};

const known = new Map<string, Translated>();
const MAX_KNOWN = 2_000; // some statements have as many `?` as a list has items

export function translate(sql: string): Translated {
  const before = known.get(sql);
  if (before) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const translated = takenApart(rephrased(sql));
  known.set(sql, translated);
  return translated;
}

/** A list's items are numbers for a `…_key`, otherwise texts. */
const LIST = /(\b\w+)\s+IN\s+\(SELECT value FROM json_each\((\?\d*)\)\)/g;
/** SQLite's index hints, which Postgres does not know. */
const HINT = /\s(INDEXED BY \w+|NOT INDEXED)\b/g;

function rephrased(sql: string): string {
  return sql
    .replaceAll(LIST, (_all, column: string, mark: string) => {
      const items = `jsonb_array_elements_text(CAST(${mark} AS jsonb))`;
      const cast = column.endsWith("_key") ? `CAST(item AS bigint)` : "item";
      return `${column} = ANY (ARRAY(SELECT ${cast} FROM ${items} AS item))`;
    })
    .replaceAll(HINT, "")
    .replaceAll(/\binstr\(/g, "strpos(");
}

function takenApart(sql: string): Translated {
  const parts: string[] = [];
  const values: number[] = [];
  let from = 0;
  for (const { 0: found, index } of sql.matchAll(/'(?:[^']|'')*'|\?(\d*)/g)) {
    if (found.startsWith("'")) continue;
    parts.push(sql.slice(from, index));
    values.push(found.length > 1 ? Number(found.slice(1)) - 1 : values.length);
    from = index + found.length;
  }
  parts.push(sql.slice(from));
  const text = parts.map((part, at) => part + mark(values[at])).join("");
  return { text, parts, values };
}

function mark(value: number | undefined): string {
  return value === undefined ? "" : `$${value + 1}`;
}

/** Postgres stores no NUL in a text. Events contain none, because JSON escapes it. */
export function storable(value: Value): Value {
  return typeof value === "string" && value.includes("\0")
    ? value.replaceAll("\0", "\uFFFD")
    : value;
}

/** The statement with its values as literals. `standard_conforming_strings` is on, so only quotes are special. */
export function written([sql, ...params]: Statement): string {
  const { parts, values } = translate(sql);
  return parts
    .map((part, at) => {
      const value = values[at];
      return value === undefined ? part : part + literal(params[value] ?? null);
    })
    .join("");
}

export function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("only finite numbers are stored");
    return value < 0 ? `(${value})` : String(value);
  }
  if (typeof value !== "string") return `'\\x${Buffer.from(value).toString("hex")}'`;
  return `'${(storable(value) as string).replaceAll("'", "''")}'`;
}
