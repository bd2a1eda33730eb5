// Events that were sealed, as the one statement that stores them and moves the heads they follow.
import type pg from "pg";
import type { Appended, LogRow } from "../append.ts";
import type { Statement } from "../sql.ts";
import { literal, written } from "./translate.ts";

/** Appended to `log` as it was: several to one log follow each other. */
export type Stored = { readonly log: LogRow; readonly appended: Appended };

type Column = "bigint" | "double precision" | "text";
const COLUMNS: readonly Column[] = [
  ...(["bigint", "bigint", "bigint", "double precision", "bigint"] as const),
  ...(["bigint", "bigint", "bigint", "bigint", "text"] as const),
  ...(["bigint", "bigint", "double precision"] as const),
  ...(["bigint", "bigint", "bigint", "bigint", "bigint", "bigint"] as const),
];
const MARKS = COLUMNS.map((type, at) => `$${at + 1}::${type}[]`);
const CALL = `SELECT append_events(${MARKS.join(", ")}, $${COLUMNS.length + 1})`;

/** In one round trip and, outside a transaction, in one of its own. */
export async function storeEvents(client: pg.ClientBase, group: readonly Stored[]): Promise<void> {
  const values = argumentsOf(group);
  const lists = group.flatMap(({ appended }) => appended.lists);
  if (lists.length === 0) {
    await client.query({ name: "append_events", text: CALL, values });
    return;
  }
  const literals = values.map((value, at) => {
    const column = COLUMNS[at];
    return column === undefined ? literal(value) : `'${value}'::${column}[]`;
  });
  const call = `SELECT append_events(${literals.join(", ")})`;
  await client.query([call, ...lists.map((each: Statement) => written(each))].join(";\n"));
}

function argumentsOf(group: readonly Stored[]): string[] {
  const logs = joined(group, ({ log }) => log.log_key);
  const sessions = joined(group, ({ log }) => log.session_key);
  const events = group.flatMap(({ log, appended }) =>
    appended.events.map((event) => ({ ...event, log: log.log_key, session: log.session_key })),
  );
  return [
    array(sessions, ({ first }) => first.session_key),
    array(sessions, ({ first }) => first.session_seq),
    array(sessions, ({ head }) => head.session_seq),
    array(sessions, ({ head }) => head.last_at),
    array(sessions, ({ head }) => head.updated_hour),
    array(logs, ({ first }) => first.log_key),
    array(logs, ({ first }) => first.fence),
    array(logs, ({ first }) => first.seq),
    array(logs, ({ head }) => head.seq),
    array(logs, ({ head }) => head.hash), // hexadecimal: needs no quotes
    array(logs, ({ head }) => head.checksum),
    array(logs, ({ head }) => head.chars),
    array(logs, ({ head }) => head.last_at),
    array(events, ({ log }) => log),
    array(events, ({ session }) => session),
    array(events, ({ seq }) => seq),
    array(events, ({ sessionSeq }) => sessionSeq),
    array(events, ({ checksum }) => checksum),
    array(events, ({ chars }) => chars),
    events.map(({ body }) => body).join("\n"),
  ];
}

type Joined = { readonly first: LogRow; readonly head: LogRow };

/** What several appends to one log, or one session, do together: from the first's place to the last's. */
function joined(group: readonly Stored[], keyOf: (stored: Stored) => number): readonly Joined[] {
  const found = new Map<number, Joined>();
  for (const stored of group) {
    const { log, appended } = stored;
    const key = keyOf(stored);
    found.set(key, { first: found.get(key)?.first ?? log, head: appended.head });
  }
  return [...found].toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

function array<Item>(items: readonly Item[], pick: (item: Item) => number | string): string {
  return `{${items.map(pick).join(",")}}`;
}
