// Replaces one exact text by another, on bytes, so that bytes elsewhere that are not UTF-8 stay. Pure: after a crash
// the runner computes with it what an edit would have written.

export type TextEdit = {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
};
/** 1-indexed, in the resulting file. */
export type LineArea = { readonly startLine: number; readonly endLine: number };
export type Replaced =
  | { ok: true; content: Buffer; area: LineArea; count: number }
  | { ok: false; code: "text_not_found" | "ambiguous"; message: string };

export function replaceText(before: Buffer, { oldText, newText, all }: TextEdit): Replaced {
  const old = Buffer.from(oldText);
  const found = all ? occurrences(before, old, old.length) : occurrences(before, old, 1);
  const first = found[0];
  if (first === undefined)
    return { ok: false, code: "text_not_found", message: notFound(before, oldText) };
  if (!all && found.length > 1) {
    const message = `old_text occurs ${found.length} times. Give more of the text around it, or set replace_all.`;
    return { ok: false, code: "ambiguous", message };
  }
  const fresh = Buffer.from(newText);
  const parts: Buffer[] = [];
  let from = 0;
  for (const at of found) {
    parts.push(before.subarray(from, at), fresh);
    from = at + old.length;
  }
  const content = Buffer.concat([...parts, before.subarray(from)]);
  const lastAt = (found.at(-1) ?? first) + (found.length - 1) * (fresh.length - old.length);
  return {
    ok: true,
    content,
    area: areaOf(content, first, lastAt + fresh.length),
    count: found.length,
  };
}

/** The lines that content[from..to) stands on. A newline at its end belongs to the last of them. */
function areaOf(content: Buffer, from: number, to: number): LineArea {
  const startLine = 1 + newlines(content, 0, from);
  const last = to > from && content[to - 1] === 10 ? to - 1 : to;
  return { startLine, endLine: startLine + newlines(content, from, last) };
}

function occurrences(content: Buffer, text: Buffer, step: number): number[] {
  const found: number[] = [];
  if (text.length === 0) return found;
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + step))
    found.push(at);
  return found;
}

function newlines(content: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = content.indexOf(10, from); at >= 0 && at < to; at = content.indexOf(10, at + 1))
    count += 1;
  return count;
}

function notFound(before: Buffer, oldText: string): string {
  const windows = before.includes("\r\n") && before.includes(oldText.replaceAll(/\r?\n/g, "\r\n"));
  return windows
    ? "old_text is there only with CRLF line ends: the file uses \\r\\n."
    : "old_text does not occur in the file. Read the file and copy the text exactly.";
}
