import { own } from "../../events/own.ts";
// Cuts HTML into text and tags, in one pass over it whatever it contains. Only as exact as reading
// needs: nothing that comes out of here is ever shown as HTML.

export type HtmlToken =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "open"; readonly name: string; readonly attributes: string }
  | { readonly kind: "close"; readonly name: string };

/** What lies between these and their end tag is no text for people, whatever it looks like. */
const RAW = new Set(["script", "style", "noscript", "template", "textarea", "iframe", "svg"]);

export function* htmlTokens(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) return yield textToken(html.slice(at));
    if (open > at) yield textToken(html.slice(at, open));
    const tag = tagAt(html, open);
    if (tag === "text") {
      yield { kind: "text", text: "<" };
      at = open + 1;
    } else {
      at = tag.end;
      if (tag.token) yield tag.token;
      if (tag.token?.kind === "open" && RAW.has(tag.token.name))
        at = rawEnd(html, at, tag.token.name);
    }
  }
}

type Tag = { end: number; token?: HtmlToken };

function tagAt(html: string, open: number): Tag | "text" {
  if (html.startsWith("<!--", open)) return { end: after(html, "-->", open + 4) };
  const next = html[open + 1] ?? "";
  if (next === "!" || next === "?") return { end: after(html, ">", open + 2) };
  const closing = next === "/";
  const from = open + (closing ? 2 : 1);
  const name = /^[a-z][a-z0-9-]{0,40}/i.exec(html.slice(from, from + 41))?.[0];
  if (name === undefined) return closing ? { end: after(html, ">", from) } : "text";
  const end = tagEnd(html, from + name.length);
  const attributes = html.slice(from + name.length, end - 1);
  const lower = name.toLowerCase();
  return {
    end,
    token: closing
      ? { kind: "close", name: lower }
      : { kind: "open", name: lower, attributes: attributes.slice(0, 8_192) },
  };
}

/** Past the `>` that is not inside quotes. */
function tagEnd(html: string, from: number): number {
  for (let at = from; at < html.length; at += 1) {
    const char = html[at];
    if (char === ">") return at + 1;
    // A quote opens a value only after "=": others are typing errors and end nothing.
    if ((char === '"' || char === "'") && /=\s*$/.test(html.slice(Math.max(from, at - 8), at))) {
      const close = html.indexOf(char, at + 1);
      if (close < 0) return html.length;
      at = close;
    }
  }
  return html.length;
}

function rawEnd(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

function textToken(text: string): HtmlToken {
  return { kind: "text", text: decodeEntities(text) };
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  bull: "•",
  middot: "·",
  times: "×",
  rarr: "→",
  larr: "←",
  euro: "€",
  pound: "£",
  deg: "°",
  sect: "§",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  shy: "",
};

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, ...found) => {
    const [decimal, hex, name] = found as (string | undefined)[];
    if (name !== undefined) return own(NAMED, name) ?? own(NAMED, name.toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
  });
}

/** The value of one attribute; undefined when it is not there. */
export function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(
    `(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`,
    "i",
  ).exec(attributes);
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? undefined : decodeEntities(value);
}
