// The text of an answer for reading aloud: no Markdown, no code, in pieces that an endpoint accepts. Pure.
import { MAX_SPOKEN } from "../../../kernel/events/attachment-limits.ts";

/** Small, so that speech starts soon. */
const PIECE = 1_200;

export function spokenPieces(markdown: string, most = Math.min(PIECE, MAX_SPOKEN)): string[] {
  const pieces: string[] = [];
  let rest = spokenText(markdown);
  while (rest.length > most) {
    const at = cutAt(rest, most);
    pieces.push(rest.slice(0, at).trim());
    rest = rest.slice(at);
  }
  return [...pieces, rest.trim()].filter((piece) => piece !== "");
}

/** Every pattern is bounded, because a long answer must not make it slow. */
export function spokenText(markdown: string): string {
  return markdown
    .replaceAll(/^([`~]{3,20})[^]*?(?:^\1[ \t]{0,20}$|$(?![^]))/gm, "(Code is left out.)")
    .replaceAll(/!?\[([^[\]\n]{0,500})\]\([^()\n]{0,2000}\)/g, "$1")
    .replaceAll(/^ {0,3}(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]/gm, "")
    .replaceAll(/^(?=[^\n]{0,2000}---)[ \t:|-]+$/gm, "") // under the head of a table, and lines across
    .replaceAll("|", ", ")
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(" ,", ",")
    .replaceAll(/^ ?, | ?, ?$/gm, "")
    .replaceAll(/\*\*|__|~~|`/g, "")
    .replaceAll(/(?<!\w)([*_])(\S(?:[^\n*_]{0,200}\S)?)\1(?!\w)/g, "$2")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Cuts after a paragraph, sentence or word; inside a word only if there is no other place. */
function cutAt(text: string, most: number): number {
  const head = text.slice(0, most);
  const places = [head.lastIndexOf("\n\n"), lastOf(head, /[.!?:](?=\s)/g), lastOf(head, /\s/g)];
  const good = places.find((at) => at > most / 3);
  if (good !== undefined) return good + 1;
  const half = /[\uD800-\uDBFF]$/.test(head); // never in the middle of a character
  return half ? most - 1 : most;
}

function lastOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].at(-1)?.index ?? -1;
}
