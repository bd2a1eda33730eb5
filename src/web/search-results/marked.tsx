// A snippet with its matches marked.
import type { SearchHit } from "../../kernel/api/records/search.ts";
import { markedParts } from "./marked-parts.ts";

export function Marked({ hit }: { hit: Pick<SearchHit, "snippet" | "marks"> }) {
  return markedParts(hit).map(({ text, marked }, index) =>
    marked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
  );
}
