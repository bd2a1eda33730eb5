// What of a SKILL.md is prose: its front matter is told elsewhere on the screen.

export function withoutFrontMatter(text: string): string {
  const lines = text.split("\n");
  if (lines[0]?.trimEnd() !== "---") return text;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---");
  return end < 0 ? text : lines.slice(end + 1).join("\n");
}
