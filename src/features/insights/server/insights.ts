// What was used and done in some days, put together from the journal's quarters of an hour. For our own API and the
// windows that have one for it.
import { MAX_DAYS } from "../api.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { knownCost } from "../store/reads.ts";
import { SLOT_SECONDS } from "../store/projection.ts";
import type { InsightFigures, InsightGroup, InsightRow, InsightsView } from "../records.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { dateAt, daysBetween, isDate, shifted, zoneOf, type Day } from "./calendar-days.ts";
import { insightStore } from "../store/store.ts";

const DAYS = 30;

export type InsightsAsked = {
  readonly by: InsightGroup;
  readonly days?: number | undefined; // the last ones, with today
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly tz?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly limit: number;
};

export async function insightsOf(
  journal: Journal,
  asked: InsightsAsked,
  now: number, // ms
): Promise<InsightsView> {
  const { by, tz = "UTC", sessionId, limit } = asked;
  const { from, to, days, before, period, earlier } = periodOf(asked, now);
  const found = await groupsOf(journal, by, { ...period, limit }, days);
  return {
    from,
    to,
    tz,
    by,
    session_id: sessionId ?? null,
    totals: await insightStore(journal).insightTotals(period),
    previous: { ...before, totals: await insightStore(journal).insightTotals(earlier) },
    ...found,
    uncounted_runs: await insightStore(journal).uncountedRuns(),
  };
}

type Period = { from: number; to: number; sessionId: string | undefined; limit: number };
type Found = Pick<InsightsView, "rows" | "tools" | "left_out">;

async function groupsOf(
  journal: Journal,
  by: InsightGroup,
  period: Period,
  days: readonly Day[],
): Promise<Found> {
  if (by === "day") {
    return { rows: await byDay(journal, period, days), tools: [], left_out: 0 };
  }
  if (by === "tool") {
    const { rows, groups } = await insightStore(journal).insightTools(period);
    return { rows: [], tools: [...rows], left_out: groups - rows.length };
  }
  const { rows, groups } = await insightStore(journal).insightGroups(by, period);
  return { rows: [...rows], tools: [], left_out: groups - rows.length };
}

async function byDay(journal: Journal, period: Period, days: readonly Day[]) {
  const slots = (await insightStore(journal).insightSlots(period)).values();
  let next = slots.next();
  return days.map(({ date, end }): InsightRow => {
    const sum = { ...NOTHING };
    for (; !next.done && next.value.slot < toSlot(end); next = slots.next()) {
      for (const name of NAMES) sum[name] += next.value[name] ?? 0;
    }
    return { key: date, ...sum, cost_usd: knownCost(sum) };
  });
}

const NOTHING = {
  model_calls: 0,
  unpriced_calls: 0,
  model_errors: 0,
  model_ms: 0,
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  cost_usd: 0,
  tool_calls: 0,
  tool_failures: 0,
  tool_ms: 0,
  runs: 0,
  failed_runs: 0,
  cancelled_runs: 0,
  run_ms: 0,
  events: 0,
} satisfies InsightFigures;
const NAMES = Object.keys(NOTHING) as (keyof typeof NOTHING)[];

function slotsOf(days: readonly Day[]): { from: number; to: number } {
  return { from: toSlot(days[0]?.start ?? 0), to: toSlot(days.at(-1)?.end ?? 0) };
}

function toSlot(seconds: number): number {
  return Math.round(seconds / SLOT_SECONDS);
}

/** The days that are asked for and as many before them, and their slots. */
export function periodOf(asked: Omit<InsightsAsked, "by" | "limit">, now: number) {
  const { sessionId } = asked;
  const zone = zoneOf(asked.tz ?? "UTC");
  const { from, to } = datesOf(asked, dateAt(zone, now));
  const days = daysBetween(zone, from, to);
  const before = { from: shifted(from, -days.length), to: shifted(from, -1) };
  const period = { ...slotsOf(days), sessionId };
  const earlier = { ...slotsOf(daysBetween(zone, before.from, before.to)), sessionId };
  return { from, to, days, before, period, earlier };
}

type Dates = Pick<InsightsAsked, "days" | "from" | "to">;

function datesOf({ days, from, to }: Dates, today: string): { from: string; to: string } {
  for (const [name, date] of Object.entries({ from, to })) {
    if (date === undefined || isDate(date)) continue;
    throw new ApiError("invalid_request", `${name}: a day is YYYY-MM-DD.`);
  }
  const last = to ?? today;
  const first = from ?? shifted(last, 1 - (days ?? DAYS));
  if (first > last) throw new ApiError("invalid_request", "from: it is after to.");
  if (shifted(first, MAX_DAYS) <= last) {
    throw new ApiError("invalid_request", `from: at most ${MAX_DAYS} days at once.`);
  }
  return { from: first, to: last };
}
