// Every table of a journal. Those of features are here, too: migrations are one numbered history, and the tables of a
// feature that was deleted stay (ADR 36).
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

/** Tables that follow from events: `rebuild` makes them anew, and nobody has to bring them along. */
export const FOLLOWS: readonly string[] = TABLES.filter(({ kind }) => kind === "list").map(
  ({ name }) => name,
);
