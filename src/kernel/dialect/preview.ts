// The beginning of something, on one line: for windows that show that a thing happened, not all of it.
const MOST = 200;

export function preview(value: unknown, most: number = MOST): string {
  const whole = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const text = whole.slice(0, most * 8); // of a megabyte only the beginning is looked at
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= most && text.length === whole.length) return line;
  const cut = line.slice(0, most - 1);
  // Never half of a character.
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
