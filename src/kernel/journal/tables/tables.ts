// Every table of a journal, including those of features: migrations are one numbered history, and the tables of a deleted
// feature stay (ADR 36).
import * as insights from "./insights.ts";
import * as lists from "./lists.ts";
import * as messengers from "./messengers.ts";
import * as runs from "./runs.ts";
import * as schedules from "./schedules.ts";
import type { Table } from "./table.ts";

const all = [runs, lists, insights, schedules, messengers].flatMap((each) =>
  Object.values<Table>({ ...each }),
);
/** Sessions come first: logs refer to them. */
export const TABLES: readonly Table[] = [...new Set<Table>([runs.SESSIONS, ...all])];

/** Tables that follow from events: `rebuild` recreates them, and a migration does not copy them. */
export const FOLLOWS: readonly string[] = TABLES.filter(({ kind }) => kind === "list").map(
  ({ name }) => name,
);
