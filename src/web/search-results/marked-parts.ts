// A snippet split into matching and other parts. It is always text, with invisible characters escaped.
import type { SearchHit } from "../../kernel/api/records/search.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";

export type Part = { readonly text: string; readonly marked: boolean };

export function markedParts({ snippet, marks }: Pick<SearchHit, "snippet" | "marks">): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const [at, end] of marks) {
    if (at < from || end <= at || end > snippet.length) continue; // a server of another version
    if (at > from) parts.push({ text: line(snippet.slice(from, at)), marked: false });
    parts.push({ text: line(snippet.slice(at, end)), marked: true });
    from = end;
  }
  if (from < snippet.length) parts.push({ text: line(snippet.slice(from)), marked: false });
  return parts;
}

function line(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, " "));
}
