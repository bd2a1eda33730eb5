// Text from outside, made fit for a file people read and for a prompt: nothing invisible, nothing
// that moves the cursor or reverses letters, and nothing that ends the block it is put into.
import { firstChars } from "../text/truncate.ts";

/** Bidirectional overrides, zero-width marks and tags: they say things that no person sees. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const CONTROL = /(?!\n)\p{Cc}/gu;

export function plain(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ")
    .replaceAll(CONTROL, "")
    .replaceAll(INVISIBLE, "");
}

export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0;
}

/** One line of it. */
export function plainLine(text: string, limit: number): string {
  return bounded(plain(text).replaceAll(/\s+/g, " ").trim(), limit, "…");
}

/** Never in the middle of a character. */
export function bounded(text: string, limit: number, note: string): string {
  if (text.length <= limit) return text;
  return firstChars(text, limit) + note;
}

/** A named block of a prompt. Its content cannot end it, nor begin another. */
export function block(tag: string, about: string, content: string): string {
  const harmless = content.replaceAll(/<(?=\/?\s*(?:memory|skills?|system|user)\b)/gi, "‹");
  return `<${tag} ${about}>\n${harmless.trimEnd()}\n</${tag}>`;
}
