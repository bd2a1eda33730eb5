// Builds the one statement that stores sealed events and moves their heads.
import type pg from "pg";
import type { Appended, LogRow, NewEvent } from "../append.ts";
import type { Statement } from "../sql.ts";
import { literal, written } from "./translate.ts";

/** Appended to `log` as it was; several appends to one log follow each other. */
export type Stored = { readonly log: LogRow; readonly appended: Appended };

/** One of the functions of append-events.ts. */
type Call = { readonly name: string; readonly types: readonly string[] };

const TO_ONE: Call = {
  name: "append_to_log",
  types: typesOf(`bigint bigint float8 bigint  bigint bigint bigint text bigint bigint
    bigint[] bigint[] text`),
};
const TO_SEVERAL: Call = {
  name: "append_events",
  types: typesOf(`bigint[] bigint[] bigint[] float8[] bigint[]
    bigint[] bigint[] bigint[] bigint[] text[] bigint[] bigint[] float8[]
    bigint[] bigint[] bigint[] bigint[] bigint[] bigint[] text`),
};

function typesOf(text: string): string[] {
  return text.split(/\s+/);
}

/** In one round trip; outside a transaction, it is its own transaction. */
export async function storeEvents(
  client: Pick<pg.ClientBase, "query">,
  group: readonly Stored[],
): Promise<void> {
  const logs = joined(group, ({ log }) => log.log_key);
  const [only] = logs;
  const one = logs.length === 1 && only;
  const { name, types } = one ? TO_ONE : TO_SEVERAL;
  const values = one ? toOne(group, one) : toSeveral(group, logs);
  const lists = group.flatMap(({ appended }) => appended.lists);
  if (lists.length === 0) {
    const marks = types.map((type, at) => `$${at + 1}::${type}`);
    await client.query({ name, text: `SELECT ${name}(${marks.join(", ")})`, values });
    return;
  }
  const literals = values.map((value, at) => `${literal(value)}::${types[at]}`);
  const call = `SELECT ${name}(${literals.join(", ")})`;
  await client.query([call, ...lists.map((each: Statement) => written(each))].join(";\n"));
}

function toOne(group: readonly Stored[], { first, head }: Joined): string[] {
  const events = group.flatMap(({ appended }) => appended.events);
  return [
    String(first.session_key),
    String(first.session_seq),
    String(head.last_at),
    String(head.updated_hour),
    String(first.log_key),
    String(first.fence),
    String(first.seq),
    head.hash,
    String(head.checksum),
    String(head.chars),
    array(events, ({ checksum }) => checksum),
    array(events, ({ chars }) => chars),
    lines(events),
  ];
}

function toSeveral(group: readonly Stored[], logs: readonly Joined[]): string[] {
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
    lines(events),
  ];
}

type Joined = { readonly first: LogRow; readonly head: LogRow };

/** Merges several appends to one log or session: from the first position to the last. */
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

/** A body is JSON, so it contains no line break. */
function lines(events: readonly NewEvent[]): string {
  return events.map(({ body }) => body).join("\n");
}
