// Formats times, durations and sizes. Pure: the current time is passed in.

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes} m ${Math.round(seconds) % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** For running timers: whole seconds, so that it does not flicker. */
export function elapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}

/** `at` in unix seconds. */
export function relativeTime(at: number, nowMs: number): string {
  const seconds = Math.max(0, nowMs / 1_000 - at);
  if (seconds < 45) return "now";
  if (seconds < 3_600) return `${Math.max(1, Math.round(seconds / 60))} m`;
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h`;
  if (seconds < 86_400 * 7) return `${Math.round(seconds / 86_400)} d`;
  return new Date(at * 1_000).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

// Created once: one per item was a sixth of the time to open a session.
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export function exactTime(at: number): string {
  return EXACT.format(at * 1_000);
}

export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1_000).toFixed(1)} kB`;
  if (count < 1_000_000_000) return `${(count / 1_000_000).toFixed(1)} MB`;
  return `${(count / 1_000_000_000).toFixed(1)} GB`;
}

const COUNT = new Intl.NumberFormat("en"); // made once, like EXACT

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${COUNT.format(count)} ${count === 1 ? one : many}`;
}

/** Never "0 %" for more than nothing, never "100 %" for less than all. */
export function percent(part: number): string {
  if (part > 0 && part < 0.01) return "<1 %";
  if (part < 1 && part > 0.99) return "99 %";
  return `${Math.round(part * 100)} %`;
}

/** US dollars; small sums keep their significant digits. */
export function dollars(amount: number): string {
  if (amount === 0) return "$0";
  if (amount < 0.0001) return "<$0.0001";
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
