// The time of day to the millisecond: events are often closer than a second.
export function clockTime(at: number): string {
  const date = new Date(at * 1_000);
  const two = (part: number) => String(part).padStart(2, "0");
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}
