// A schedule in the words of a person, as far as there are short ones for it.
import { parseSchedule, type Clock } from "./schedule.ts";

const DAY_NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const two = (value: number) => String(value).padStart(2, "0");

/** Without its zone. Of what is no schedule: the reason. */
export function describeSchedule(text: string): string {
  const schedule = parseSchedule(text);
  if ("problem" in schedule) return schedule.problem;
  if (schedule.kind === "every") return `every ${describeLength(schedule.seconds)}`;
  if (schedule.kind === "in") return `once, in ${describeLength(schedule.seconds, 1)}`;
  if (schedule.kind === "once") return `once, ${describeClock(schedule.clock, schedule.offset)}`;
  return describeCron(schedule.pattern);
}

function describeClock({ year, month, day, hour, minute, second }: Clock, offset: string | null) {
  const seconds = second === 0 ? "" : `:${two(second)}`;
  const zone = offset === null ? "" : offset === "Z" ? " UTC" : ` (UTC${offset})`;
  return `on ${year}-${two(month)}-${two(day)} at ${two(hour)}:${two(minute)}${seconds}${zone}`;
}

const LENGTHS = [
  [604_800, "week"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

function describeLength(seconds: number, least = 2): string {
  const [size, name] = LENGTHS.find(([each]) => seconds % each === 0) ?? [1, "second"];
  const many = seconds / size;
  return many < least && least === 2 ? name : `${many} ${name}${many === 1 ? "" : "s"}`;
}

function describeCron(pattern: string): string {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = pattern.split(" ");
  const time = describeTime(minute, hour);
  const days = describeDay(day, weekday);
  const months = describeMonth(month);
  if (time === undefined || days === undefined || months === undefined) {
    return `on the cron pattern “${pattern}”`;
  }
  const often = time.startsWith("every");
  const when = days === "" ? (often || months !== "" ? "" : "every day") : days;
  return [time, when, months].filter((part) => part !== "").join(" ");
}

const isNumber = (field: string) => /^\d{1,2}$/.test(field);
const stepOf = (field: string) => /^\*\/(\d{1,2})$/.exec(field)?.[1];

function describeTime(minute: string, hour: string): string | undefined {
  const step = stepOf(minute);
  if (minute === "*" && hour === "*") return "every minute";
  if (step !== undefined && hour === "*") return `every ${Number(step)} minutes`;
  if (!isNumber(minute)) return undefined;
  const past = Number(minute) === 0 ? "" : ` at ${Number(minute)} past`;
  if (hour === "*") return `every hour${past}`;
  const hours = stepOf(hour);
  if (hours !== undefined) return `every ${Number(hours)} hours${past}`;
  const listed = hour.split(",");
  if (!listed.every(isNumber)) return undefined;
  return `at ${joined(listed.map((each) => `${two(Number(each))}:${two(Number(minute))}`))}`;
}

/** Empty: all days. Cron takes either where both are given. */
function describeDay(day: string, weekday: string): string | undefined {
  const everyDay = day === "*" || day === "?";
  const everyWeekday = weekday === "*" || weekday === "?";
  const numbered = everyDay ? "" : describeDayOfMonth(day);
  const named = everyWeekday ? "" : describeNames(weekday, (each) => dayName(each));
  if (numbered === undefined || named === undefined) return undefined;
  if (numbered !== "" && named !== "") return `${numbered} and on every ${named}`;
  return numbered || (named && `on ${named}`);
}

function describeDayOfMonth(day: string): string | undefined {
  if (day.toUpperCase() === "L") return "on the last day of the month";
  const listed = day.split(",");
  if (!listed.every(isNumber)) return undefined;
  return `on day ${joined(listed.map((each) => String(Number(each))))} of the month`;
}

function describeMonth(month: string): string | undefined {
  if (month === "*") return "";
  const named = describeNames(month, (each) => monthName(each));
  return named === undefined ? undefined : `in ${named}`;
}

function describeNames(
  field: string,
  name: (part: string) => string | undefined,
): string | undefined {
  const parts = field.split(",").map((part) => {
    const [from = "", to, ...rest] = part.split("-");
    if (rest.length > 0) return undefined;
    const [first, last] = [name(from), to === undefined ? undefined : name(to)];
    if (first === undefined || (to !== undefined && last === undefined)) return undefined;
    return last === undefined ? first : `${first} to ${last}`;
  });
  return parts.every((part) => part !== undefined) ? joined(parts as string[]) : undefined;
}

function dayName(part: string): string | undefined {
  if (isNumber(part)) return DAY_NAMES[Number(part) % 7];
  return DAY_NAMES.find((name) => name.slice(0, 3).toLowerCase() === part.toLowerCase());
}

function monthName(part: string): string | undefined {
  if (isNumber(part)) return MONTH_NAMES[Number(part) - 1];
  return MONTH_NAMES.find((name) => name.slice(0, 3).toLowerCase() === part.toLowerCase());
}

function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}
