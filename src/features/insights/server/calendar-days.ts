// Calendar days of a time zone, and when each begins. A day may have 23 or 25 hours, may begin at one o'clock, and one
// that a zone left out has none.
import { ApiError } from "../../../kernel/events/errors.ts";

export type Day = {
  readonly date: string; // YYYY-MM-DD
  readonly start: number; // unix seconds
  readonly end: number; // the next day's start
};

const DAY_MS = 86_400_000;

export function zoneOf(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-u-ca-iso8601", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  } catch {
    throw new ApiError("invalid_request", "tz: there is no such time zone, e.g. Europe/Berlin.");
  }
}

/** The date there at that moment. */
export function dateAt(zone: Intl.DateTimeFormat, ms: number): string {
  return new Date(localMs(zone, ms)).toISOString().slice(0, 10);
}

export function daysBetween(zone: Intl.DateTimeFormat, from: string, to: string): Day[] {
  const days: Day[] = [];
  let start = startOf(zone, from);
  for (let date = from; date <= to;) {
    const next = shifted(date, 1);
    const end = startOf(zone, next);
    days.push({ date, start, end });
    [date, start] = [next, end];
  }
  return days;
}

export function shifted(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Of this millennium: others have no figures, and dates of which nobody knows the offset. */
export function isDate(text: string): boolean {
  const ms = /^2\d{3}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00Z`) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** The first moment that is of that date or a later one: a clock set forward at midnight skips the midnight itself. */
function startOf(zone: Intl.DateTimeFormat, date: string): number {
  const midnight = Date.parse(`${date}T00:00Z`); // as if the zone were UTC
  const offsets = [midnight - DAY_MS, midnight + DAY_MS].map((ms) => localMs(zone, ms) - ms);
  const moments = offsets.map((offset) => midnight - offset).toSorted((a, b) => a - b);
  const first = moments.find((ms) => dateAt(zone, ms) >= date) ?? midnight;
  return first / 1_000;
}

/** What a clock there shows, as if it were UTC. */
function localMs(zone: Intl.DateTimeFormat, ms: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of zone.formatToParts(ms)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
