// Labels for schedules and the results of their due times. Pure.
import type { CronDelivery, CronJobRecord, CronTick } from "../records.ts";
import type { Tone } from "../../../web/ui/badge.tsx";
import { plural } from "../../../web/text/format.ts";

export const RESULT_LABELS: Record<CronTick["result"], { label: string; tone: Tone }> = {
  fired: { label: "On time", tone: "good" },
  caught_up: { label: "Caught up", tone: "busy" },
  skipped: { label: "Skipped", tone: "warning" },
  overlapped: { label: "Overlapped", tone: "warning" },
  manual: { label: "Run by hand", tone: "neutral" },
};

export const CATCH_UP_LABELS = {
  none: "Skip them",
  last: "One run for all of them",
  all: "A run for each, the newest ones",
} as const;
export const OVERLAP_LABELS = {
  skip: "Skip the new one",
  queue: "Queue it in the same session",
  start: "Start it beside",
} as const;

const DAY = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;

/** `Tue, 31 Mar 2026, 09:00` in a time zone; with seconds if they are not zero. */
export function zonedTime(at: number, timeZone: string): string {
  return `${dayOf(at, timeZone)}, ${clockOf(at, timeZone)}`;
}

function dayOf(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeZone, ...DAY }).format(at * 1_000);
}

function clockOf(at: number, timeZone: string): string {
  const seconds = Math.floor(at) % 60 === 0 ? {} : { second: "2-digit" as const };
  const clock = { timeZone, hour: "2-digit", minute: "2-digit", ...seconds } as const;
  return new Intl.DateTimeFormat("en-GB", clock).format(at * 1_000);
}

export const hereZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Both clocks, if they differ. */
export function bothTimes(at: number, timeZone: string, here = hereZone()): string {
  const there = `${zonedTime(at, timeZone)} ${timeZone}`;
  if (zonedTime(at, timeZone) === zonedTime(at, here)) return there;
  const isSameDay = dayOf(at, timeZone) === dayOf(at, here);
  return `${there} (${isSameDay ? clockOf(at, here) : zonedTime(at, here)} here)`;
}

export function describe(at: number, nowMs: number): string {
  const seconds = Math.round(at - nowMs / 1_000);
  if (seconds <= 0) return "now";
  if (seconds < 60) return `in ${seconds} s`;
  if (seconds < 3_600) return `in ${Math.round(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `in ${Math.round(seconds / 3_600)} h`;
  return `in ${plural(Math.round(seconds / 86_400), "day")}`;
}

export function describeNext({ state, next_at, time_zone }: CronJobRecord, nowMs: number): string {
  if (state === "paused") return "No more times until it is resumed";
  if (state === "over" || next_at === null) return "Finished: no more runs scheduled";
  return `Next ${describe(next_at, nowMs)}: ${bothTimes(next_at, time_zone)}`;
}

/** One due time, or the span of several. */
export function describeDue({ due_at, through_at, times, result }: CronTick, zone: string): string {
  const first = zonedTime(due_at, zone);
  if (result === "manual" || due_at === through_at) return first;
  const many = times === null ? "very many times" : plural(times, "time");
  return `${many}, ${first} to ${zonedTime(through_at, zone)}`;
}

const DELIVERY_LABELS: Record<CronDelivery["state"], string> = {
  waiting: "Will be delivered to",
  ready: "Being sent to",
  delivered: "Delivered to",
  undelivered: "Not delivered to",
  failed: "Could not be delivered to",
};

/** Empty if the answer just stays in its session. */
export function describeDelivery({ delivery }: CronTick): string | null {
  if (!delivery || delivery.target === "local" || delivery.target === "session") return null;
  const { state, target, reason } = delivery;
  return `${DELIVERY_LABELS[state]} ${target}${reason && `: ${reason}`}`;
}

export const PRESETS = [
  { label: "Every weekday at 9", schedule: "0 9 * * 1-5" },
  { label: "Every day at 7", schedule: "0 7 * * *" },
  { label: "Every hour", schedule: "@hourly" },
  { label: "Every 15 minutes", schedule: "every 15m" },
  { label: "Once, in 30 minutes", schedule: "in 30m" },
] as const;

export const EXAMPLE = {
  name: "Morning summary",
  schedule: "0 9 * * 1-5",
  prompt: "Look at what changed in the workspace since yesterday and sum it up in five lines.",
} as const;
