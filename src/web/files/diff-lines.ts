// Parses a unified diff into lines with numbers. Pure.

export type DiffLine = {
  readonly kind: "added" | "removed" | "same" | "hunk" | "note";
  readonly text: string;
};

/** Skips the file header, which the page shows itself. */
export function diffLines(text: string): DiffLine[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return first < 0 ? [] : lines.slice(first).map(lineOf);
}

const KIND: Readonly<Record<string, DiffLine["kind"]>> = {
  "+": "added",
  "-": "removed",
  "@": "hunk",
  "\\": "note",
};

function lineOf(text: string): DiffLine {
  return { kind: KIND[text[0] ?? ""] ?? "same", text };
}
