// Times as foreign protocols write them. A `Date` would read a clock when it is made without a number,
// so the calendar is worked out here: days since 1970 to year, month and day.
const DAY = 86_400_000;
const DAYS_TO_1970 = 719_468; // since 0000-03-01: a year that begins in March ends with its leap day
const ERA = 146_097; // days in 400 years
const MAX_MS = 253_402_300_799_999; // the end of 9999

/** Unix seconds as `2026-03-30T02:10:02.123Z`. */
export function isoTime(seconds: number): string {
  const known = Number.isFinite(seconds) ? Math.round(seconds * 1000) : 0;
  const ms = Math.min(Math.max(known, 0), MAX_MS);
  const { year, month, day } = dateOf(Math.floor(ms / DAY));
  const rest = ms % DAY;
  const [hour, minute, second] = [3_600_000, 60_000, 1_000].map((unit, at) =>
    padded(Math.floor(rest / unit) % (at === 0 ? 24 : 60), 2),
  );
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  return `${date}T${hour}:${minute}:${second}.${padded(rest % 1_000, 3)}Z`;
}

function dateOf(days: number): { year: number; month: number; day: number } {
  const shifted = days + DAYS_TO_1970;
  const era = Math.floor(shifted / ERA);
  const dayOfEra = shifted - era * ERA;
  const leaps =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  };
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
