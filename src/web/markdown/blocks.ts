// Splits markdown into blocks drawn one by one: while text streams in, only the last blocks are parsed and
// drawn again.
import { Marked, type Token } from "marked";
import { BLOCK_MATHS, INLINE_MATHS, type FormulaToken } from "./maths-syntax.ts";

export type Block =
  | {
      readonly kind: "code";
      readonly text: string;
      readonly lang: string;
      readonly closed: boolean;
    }
  | { readonly kind: "html"; readonly html: string; readonly token: Token; readonly maths: boolean }
  | { readonly kind: "plain"; readonly text: string };

/** A formula as HTML; null: it cannot be drawn, so its source is shown. */
export type DrawFormula = (tex: string, display: boolean) => string | null;

// Larger texts are shown as plain text, because rendering them would block the page.
const MAX_TEXT = 400_000;
const MAX_BLOCK = 100_000;
const MAX_CELLS = 4_000;
const MAX_DEPTH = 40; // lists and quotes within each other

// State of one parser call, which is synchronous.
const drawing = { draw: null as DrawFormula | null, formulas: 0 };

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    // Raw HTML is shown as text.
    html: ({ text, block }) => (block ? `<p>${escapeHtml(text)}</p>` : escapeHtml(text)),
    // Images are not loaded, because a model could make the browser call any address; it becomes a link.
    image: ({ href, text }) =>
      `<a href="${escapeHtml(href)}">[image: ${escapeHtml(text || "no description")}]</a>`,
  },
  extensions: [
    { ...BLOCK_MATHS, renderer: (token) => `<p>${formulaHtml(token as FormulaToken)}</p>\n` },
    { ...INLINE_MATHS, renderer: (token) => formulaHtml(token as FormulaToken) },
  ],
});

export function blocksOf(markdown: string): Block[] {
  return lex(unixLines(markdown))
    .map(({ block }) => block)
    .filter((block) => block !== null);
}

/** The blocks of a growing text, and how much of it is final. */
export type Growing = {
  readonly text: string;
  readonly settledTo: number;
  readonly settled: readonly Block[];
  readonly blocks: readonly Block[];
};

export function grow(before: Growing | null, markdown: string): Growing {
  const text = unixLines(markdown);
  const known = before && text.startsWith(before.text) ? before : null;
  if (known?.text === text) return known;
  let settledTo = known?.settledTo ?? 0;
  const settled = [...(known?.settled ?? [])];
  const fresh = lex(text.slice(settledTo));
  // Two blocks stay open: the last may still change or be merged into the one before it.
  const shown = fresh.flatMap(({ block }, index) => (block ? [index] : []));
  const open = shown.at(-2) ?? 0;
  for (const { block, raw } of fresh.slice(0, open)) {
    settledTo += raw.length;
    if (block) settled.push(block);
  }
  const rest = fresh.slice(open).flatMap(({ block }) => block ?? []);
  return { text, settledTo, settled, blocks: [...settled, ...rest] };
}

/** The HTML of a block, with its formulas drawn if possible. */
export function htmlOf(block: Block & { kind: "html" }, draw: DrawFormula | null): string {
  return block.maths && draw ? parse(block.token, draw).html : block.html;
}

function unixLines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

type Piece = { readonly raw: string; readonly block: Block | null };

function lex(markdown: string): Piece[] {
  const asWritten: Piece[] = [{ raw: markdown, block: { kind: "plain", text: markdown } }];
  if (markdown.length > MAX_TEXT) return asWritten;
  try {
    const tokens = marked.lexer(markdown);
    const whole = tokens.reduce((length, { raw }) => length + raw.length, 0) === markdown.length;
    // The lexer may normalise its input; if its pieces do not add up, cutting by them would lose text.
    if (whole) return tokens.map((token) => ({ raw: token.raw, block: toBlock(token) }));
    const blocks = tokens.map(toBlock);
    return blocks.map((block, at) => ({ raw: at === 0 ? markdown : "", block }));
  } catch {
    return asWritten; // nested too deep to be drawn
  }
}

function toBlock(token: Token): Block | null {
  if (token.type === "space" || token.type === "def") return null;
  if (token.type === "code") {
    const { text, raw } = token as { text: string; raw: string };
    const closed = !/^ {0,3}[`~]{3}/.test(raw) || /\n {0,3}[`~]{3,}[ \t]*\n*$/.test(raw);
    return { kind: "code", text, lang: firstWord(token["lang"]), closed };
  }
  if (token.raw.length > MAX_BLOCK || cellsOf(token) > MAX_CELLS || isDeeper(token, MAX_DEPTH)) {
    return { kind: "plain", text: token.raw };
  }
  return { kind: "html", token, ...parse(token, null) };
}

const CONTAINERS: ReadonlySet<string> = new Set(["blockquote", "list", "list_item"]);

function isDeeper(token: Token, depth: number): boolean {
  if (!CONTAINERS.has(token.type)) return false;
  const { items, tokens } = token as { items?: Token[]; tokens?: Token[] };
  return depth === 0 || (items ?? tokens ?? []).some((each) => isDeeper(each, depth - 1));
}

function cellsOf(token: Token): number {
  if (token.type !== "table") return 0;
  const { header, rows } = token as { header: unknown[]; rows: unknown[] };
  return header.length * (rows.length + 1);
}

function parse(token: Token, draw: DrawFormula | null): { html: string; maths: boolean } {
  drawing.draw = draw;
  drawing.formulas = 0;
  const html = marked.parser([token]);
  return { html, maths: drawing.formulas > 0 };
}

function formulaHtml({ raw, tex, display, closed }: FormulaToken): string {
  if (closed) drawing.formulas += 1;
  const drawn = closed ? drawing.draw?.(tex, display) : null;
  return drawn ?? `<code>${escapeHtml(raw.trim())}</code>`;
}

function firstWord(info: unknown): string {
  return typeof info === "string" ? (/^[^\s{,:]{1,40}/.exec(info)?.[0] ?? "") : "";
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}
