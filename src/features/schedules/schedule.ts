// What a person may write for "when": five cron fields, @daily and the like, "every 15m", one time, or "in 30m".
// Which moments that are is computed where there are time zones (src/features/schedules/store/times.ts).
import { own } from "../../kernel/events/own.ts";

export type Schedule =
  | { readonly kind: "cron"; readonly pattern: string }
  | { readonly kind: "every"; readonly seconds: number }
  /** `offset`: as it was written; null: a time on the clocks of the job's zone. */
  | { readonly kind: "once"; readonly clock: Clock; readonly offset: string | null }
  /** Once, from when it is said. Kept as the time it then is. */
  | { readonly kind: "in"; readonly seconds: number };

export type Clock = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

const NAMED: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const UNITS = [
  [/^(s|secs?|seconds?)$/, 1],
  [/^(m|mins?|minutes?)$/, 60],
  [/^(h|hrs?|hours?)$/, 3_600],
  [/^(d|days?)$/, 86_400],
  [/^(w|weeks?)$/, 604_800],
] as const;

const EVERY = /^every\s+(\d{1,6})?\s*([a-z]+)$/i;
const IN = /^(?:in\s+)?(\d{1,6})\s*([a-z]+)$/i;
const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const LONGEST = 366 * 86_400;

export const SCHEDULE_FORMS =
  'five cron fields ("0 9 * * 1-5"), "@daily", "every 15m", a time ("2026-03-31T09:00") or "in 30m"';

/** What it says, or the reason why it says nothing. Whether its cron fields mean anything is seen when they are computed. */
export function parseSchedule(text: string): Schedule | { readonly problem: string } {
  const said = text.trim().replaceAll(/\s+/g, " ");
  const named = own(NAMED, said.toLowerCase());
  if (named !== undefined) return { kind: "cron", pattern: named };
  const every = EVERY.exec(said);
  if (every) return lasting("every", every[1] ?? "1", every[2] ?? "");
  const once = IN.exec(said);
  if (once) return lasting("in", once[1] ?? "", once[2] ?? "");
  const time = TIME.exec(said);
  if (time) return at(time);
  if (said.split(" ").length === 5) return { kind: "cron", pattern: said };
  return { problem: `“${said.slice(0, 80)}” is no schedule. Write ${SCHEDULE_FORMS}.` };
}

function lasting(
  kind: "every" | "in",
  many: string,
  unit: string,
): ReturnType<typeof parseSchedule> {
  const size = UNITS.find(([name]) => name.test(unit.toLowerCase()))?.[1];
  if (size === undefined) return { problem: `“${unit}” is no unit of time: s, m, h, d or w.` };
  const seconds = Number(many) * size;
  if (seconds < 1 || seconds > LONGEST) return { problem: "At least a second, at most a year." };
  return { kind, seconds };
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function at(parts: RegExpExecArray): ReturnType<typeof parseSchedule> {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  const exists = day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60;
  if (!exists) return { problem: `${parts[0]} is no time of any calendar.` };
  const offset = parts[7]?.toUpperCase() ?? null;
  const clock = { year, month, day, hour, minute, second };
  return { kind: "once", clock, offset };
}
