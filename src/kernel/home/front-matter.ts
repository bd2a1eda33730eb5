// The few lines of YAML at the top of a SKILL.md: `key: value`, quoted or folded over indented lines.
// Anything else YAML can do is left alone, as text.

export type FrontMatter = {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
  readonly problem: string | null;
};

export function parseFrontMatter(text: string): FrontMatter {
  const lines = text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .split("\n");
  if (lines[0]?.trimEnd() !== "---") return { fields: {}, body: text, problem: null };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  if (end < 0) return { fields: {}, body: text, problem: "its front matter has no end (---)" };
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of lines.slice(1, end)) {
    const field = /^([A-Za-z][\w-]{0,63}):(?:\s+(.*))?$/.exec(line);
    if (field?.[1] !== undefined) {
      current = [field[2] ?? ""];
      fields.set(field[1].toLowerCase(), current);
    } else if (/^\s/.test(line)) {
      current?.push(line.trim());
    } else {
      current = undefined; // something we do not read: what is indented below it is not ours either
    }
  }
  const body = lines.slice(end + 1).join("\n");
  const values = [...fields].map(([key, parts]) => [key, valueOf(parts)] as const);
  return { fields: Object.fromEntries(values), body, problem: null };
}

function valueOf([first = "", ...more]: readonly string[]): string {
  const folded = /^[>|][+-]?$/.test(first.trim()) ? more : [first, ...more];
  return unquote(folded.join(" ").trim());
}

function unquote(value: string): string {
  if (/^'.*'$/.test(value)) return value.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return value.slice(1, -1);
  }
}
