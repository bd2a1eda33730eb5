// Which moments a schedule means, on the clocks of its zone. The one place that knows what happens when clocks are
// changed: fixed times that do not exist come right after the gap, those that come twice count once; what repeats
// by the minute or hour goes on in real time (docs/schedules.md).
import { Cron } from "croner";
import { ApiError } from "../../../kernel/events/errors.ts";
import { parseSchedule, type Clock, type Schedule } from "../schedule.ts";

/** Unix seconds, always whole. */
export interface Times {
  /** The first one later than `after`; null: there is none. */
  next(after: number): number | null;
}

export type Timing = {
  readonly schedule: string;
  readonly time_zone: string;
  /** Where "every 15m" counts from. */
  readonly anchor_at: number;
};

/** Throws ApiError for what is no schedule or no zone. */
export function timesOf({ schedule: text, time_zone, anchor_at }: Timing): Times {
  const schedule = parseSchedule(text);
  if ("problem" in schedule) throw refused("schedule", schedule.problem);
  const zone = zoneNamed(time_zone);
  if (schedule.kind === "every") return every(schedule.seconds, Math.floor(anchor_at));
  if (schedule.kind === "in") return single(Math.ceil(anchor_at + schedule.seconds));
  if (schedule.kind === "once") return single(instantOf(schedule, zone));
  return matching(schedule.pattern, { timezone: zone, mode: "5-part" });
}

/** As it is kept: what counts from now on would mean another time tomorrow. */
export function keptSchedule(text: string, now: number): string {
  const schedule = parseSchedule(text);
  if ("problem" in schedule || schedule.kind !== "in") return text.trim();
  return new Date(Math.ceil(now + schedule.seconds) * 1_000).toISOString().replace(".000", "");
}

/** The name as the database of zones has it. */
export function zoneNamed(name: string): string {
  if (/^[A-Za-z]/.test(name)) {
    try {
      return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    } catch {} // said below
  }
  const shown = name.slice(0, 80);
  throw refused("time_zone", `“${shown}” is no time zone. Use a name such as Europe/Berlin.`);
}

function every(seconds: number, anchor: number): Times {
  return {
    next: (after) => anchor + Math.max(1, Math.floor((after - anchor) / seconds) + 1) * seconds,
  };
}

function single(at: number): Times {
  return { next: (after) => (at > after ? at : null) };
}

function matching(
  pattern: string,
  options: { timezone: string; mode: "5-part" | "7-part" },
): Times {
  let cron: Cron;
  try {
    cron = new Cron(pattern, options);
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, "");
    throw refused("schedule", `“${pattern}” is no cron pattern: ${why}`);
  }
  return {
    next: (after) => {
      const found = cron.nextRun(new Date(Math.floor(after) * 1_000));
      return found === null ? null : found.getTime() / 1_000;
    },
  };
}

function instantOf({ clock, offset }: Extract<Schedule, { kind: "once" }>, zone: string): number {
  const { year, month, day, hour, minute, second } = clock;
  const written = Date.UTC(year, month - 1, day, hour, minute, second) / 1_000;
  if (offset !== null) return written - secondsOf(offset);
  const before = written - 2 * 86_400; // no zone is further from UTC
  return matching(patternOf(clock), { timezone: zone, mode: "7-part" }).next(before) ?? written;
}

const patternOf = ({ year, month, day, hour, minute, second }: Clock) =>
  `${second} ${minute} ${hour} ${day} ${month} * ${year}`;

function secondsOf(offset: string): number {
  if (offset === "Z") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
}

function refused(field: string, message: string): ApiError {
  return new ApiError("invalid_request", `${field}: ${message}`, {
    issues: [{ path: field, message }],
  });
}
