// Writes the search index: for every event that can be found, a row and its words, in the transaction that appends the
// event. Each database has its own index; both split words and match in the same way.
import type { PayloadOf } from "../events/events.ts";
import type { AnyDraft } from "../events/system-events.ts";
import { marksOf } from "./marks.ts";
import type { Wanted } from "./query.ts";
import { MAX_MESSAGE, searchable, type Found } from "./text.ts";
import type { Statement } from "../journal/sql.ts";

/** Of the run that is appended to. */
export type IndexedLog = {
  readonly log_key: number;
  readonly session_key: number;
  readonly profile: string;
  readonly workspace: string;
};
export type SearchRow = Found & {
  readonly log_key: number;
  readonly seq: number;
  readonly at: number;
  readonly marks: readonly string[];
};
export type EditedRow = Pick<SearchRow, "log_key" | "text"> & { readonly messageId: string };

/** The conditions: all words and marks, and one item of each list in `any`. */
export type Match = Wanted & {
  readonly marks: readonly string[];
  readonly any: readonly (readonly string[])[];
};
/** The range of row keys: after the first and up to the second. */
export type Keys = { readonly after: number; readonly upTo: number };

export interface SearchIndex {
  add(row: SearchRow, row_key?: number): readonly Statement[];
  edit(row: EditedRow): readonly Statement[];
  readonly forget: readonly Statement[];
  /** How many rows are read at first; `wideWindow`: for a prefix of a long word, whose lookup is expensive. */
  readonly window: number;
  readonly wideWindow: number;
  /** SQL; takes the values of `given`, then a project or null, since, until and the limit: newest first. */
  readonly candidates: string;
  given(match: Match, keys: Keys): readonly [match: string, after: number, upTo: number];
}

type Place = { readonly seq: number; readonly at: number };

/** What an event does to the index. */
export function indexed(
  log: IndexedLog,
  draft: AnyDraft,
  { seq, at }: Place,
  index: SearchIndex,
): readonly Statement[] {
  if (draft.type === "message.edited") {
    const { message_id: messageId, text } = draft.payload as PayloadOf<"message.edited">;
    const kept = (text ?? "").slice(0, MAX_MESSAGE).toWellFormed();
    return index.edit({ log_key: log.log_key, messageId, text: kept });
  }
  const row = rowOf(log, draft, { seq, at });
  return row ? index.add(row) : [];
}

export function rowOf(log: IndexedLog, draft: AnyDraft, { seq, at }: Place): SearchRow | undefined {
  const found = searchable(draft);
  return (
    found && { ...found, log_key: log.log_key, seq, at, marks: marksOf({ ...log, ...found, at }) }
  );
}
