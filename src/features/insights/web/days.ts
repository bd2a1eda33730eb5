// Days as dates: YYYY-MM-DD, in this browser's time zone.

const SHOWN = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeZone: "UTC" });

export function today(): string {
  return new Intl.DateTimeFormat("sv").format(); // Sweden writes dates as ISO does
}

export function shiftedDay(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

export function shownDay(date: string): string {
  return SHOWN.format(Date.parse(`${date}T00:00Z`));
}

export function longDay(date: string): string {
  return LONG.format(Date.parse(`${date}T00:00Z`));
}
