// A page as a model reads it: its text, with headings, lists and links kept and all else left out.
import { attribute, htmlTokens, type HtmlToken } from "./html-tokens.ts";

const BLOCKS = new Set(
  (
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody thead tr ul"
  ).split(" "),
);
const HEADING = /^h([1-6])$/;
const MAX_HREF = 2_000;

export type PageText = { readonly title: string; readonly text: string };

export function htmlToText(html: string, base: URL): PageText {
  const page = new PageWriter(base);
  for (const token of htmlTokens(html)) page.take(token);
  return page.finish();
}

/** Owns the text under construction: what is written never changes again. */
class PageWriter {
  readonly #base: URL;
  readonly #parts: string[] = [];
  #title = "";
  #inTitle = false;
  #pre = 0;
  #gap: "" | " " | "\n" | "\n\n" = "";
  #link: { readonly href: string; readonly from: number } | undefined;

  constructor(base: URL) {
    this.#base = base;
  }

  take(token: HtmlToken): void {
    if (token.kind === "text") this.#text(token.text);
    else if (token.kind === "open") this.#open(token.name, token.attributes);
    else this.#close(token.name);
  }

  finish(): PageText {
    this.#endLink();
    return { title: this.#title.replaceAll(/\s+/g, " ").trim(), text: this.#parts.join("").trim() };
  }

  #text(text: string): void {
    if (this.#inTitle) this.#title = (this.#title + text).slice(0, 500);
    else if (this.#pre > 0) this.#write(text);
    else {
      const words = text.replaceAll(/\s+/g, " ");
      if (words.startsWith(" ")) this.#space(" ");
      if (words.trim() !== "") this.#write(words.trim());
      if (words.length > 1 && words.endsWith(" ")) this.#space(" ");
    }
  }

  #open(name: string, attributes: string): void {
    if (name === "title") this.#inTitle = this.#title === "";
    if (name === "br") this.#space("\n");
    if (BLOCKS.has(name)) this.#space(name === "li" || name === "tr" ? "\n" : "\n\n");
    const level = HEADING.exec(name)?.[1];
    if (level) this.#write(`${"#".repeat(Number(level))} `);
    if (name === "li") this.#write("- ");
    if (name === "pre") this.#pre += 1;
    if (name === "img") this.#image(attributes);
    if (name === "a") this.#beginLink(attributes);
  }

  #close(name: string): void {
    if (name === "title") this.#inTitle = false;
    if (name === "pre") this.#pre = Math.max(0, this.#pre - 1);
    if (name === "a") this.#endLink();
    if (name === "td" || name === "th") this.#space(" ");
    else if (BLOCKS.has(name)) this.#space(name === "li" || name === "tr" ? "\n" : "\n\n");
  }

  #image(attributes: string): void {
    const alt = attribute(attributes, "alt")?.trim();
    if (alt) this.#write(`[image: ${alt.slice(0, 300)}]`);
  }

  #beginLink(attributes: string): void {
    this.#endLink(); // links do not nest
    const href = this.#target(attribute(attributes, "href"));
    if (href === undefined) return;
    this.#flush();
    this.#parts.push("[");
    this.#link = { href, from: this.#parts.length };
  }

  #endLink(): void {
    const link = this.#link;
    if (!link) return;
    this.#link = undefined;
    const empty = this.#parts.length === link.from;
    if (empty) this.#parts.pop();
    else this.#parts.push(`](${link.href})`);
  }

  /** Where a link leads, when that can be fetched and is not this page. */
  #target(href: string | undefined): string | undefined {
    if (href === undefined || href.startsWith("#") || href.length > MAX_HREF) return undefined;
    const url = URL.parse(href, this.#base.href);
    return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
  }

  #write(text: string): void {
    this.#flush();
    this.#parts.push(text);
  }

  #space(gap: " " | "\n" | "\n\n"): void {
    if (gap.length > this.#gap.length || (gap === "\n" && this.#gap === " ")) this.#gap = gap;
  }

  #flush(): void {
    if (this.#gap !== "" && this.#parts.length > 0) this.#parts.push(this.#gap);
    this.#gap = "";
  }
}
