// Finds formulas: $…$, $$…$$, \(…\), \[…\]. Dollars in prose stay: a formula touches its signs, and no digit
// follows.
import type { TokenizerAndRendererExtension, Tokens } from "marked";

export type Formula = { readonly tex: string; readonly display: boolean; readonly closed: boolean };
export type FormulaToken = Tokens.Generic & Formula;

const BLOCK =
  /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[^])+?)\$\$|\\\[((?:(?!\n[ \t]*\n)[^])+?)\\\])[ \t]*(?:\n+|$)/;
const UNFINISHED = /^ {0,3}(?:\$\$|\\\[)((?:(?!\n[ \t]*\n)[^])*)$/; // still being written, up to the end
// Bounded, so that a text full of openings is not scanned to its end from each of them.
const DOLLARS = /^\$\$((?:(?!\n[ \t]*\n)[^$]){1,2000}?)\$\$/;
const ROUND = /^\\\(((?:(?!\n[ \t]*\n|\\\()[^]){1,1000}?)\\\)/;
const SQUARE = /^\\\[((?:(?!\n[ \t]*\n|\\\[)[^]){1,2000}?)\\\]/;
const DOLLAR = /^\$(?![\s$])((?:\\[^\n]|[^$\\\n]){0,500}?[^\s\\$])\$(?![\d$])/;
const STRONG = /[\\^_={}<>+*|]/; // never in prose about money or in brackets
const MAX_LENGTH = 10_000;

export const BLOCK_MATHS: TokenizerAndRendererExtension = {
  name: "formulaBlock",
  level: "block",
  tokenizer(source) {
    const found = BLOCK.exec(source);
    const tex = found?.[1] ?? found?.[2];
    const isText = found?.[2] !== undefined && !/\n/.test(found[2]) && !STRONG.test(found[2]);
    if (isText) return undefined; // brackets somebody wanted to show
    if (found && tex !== undefined) {
      return formula(found[0], { tex, display: true, closed: true }, "formulaBlock");
    }
    const unfinished = UNFINISHED.exec(source);
    if (!unfinished) return undefined;
    return formula(unfinished[0], { tex: "", display: true, closed: false }, "formulaBlock");
  },
};

export const INLINE_MATHS: TokenizerAndRendererExtension = {
  name: "formula",
  level: "inline",
  start: (source) => {
    const places = ["$", "\\(", "\\["].map((sign) => source.indexOf(sign)).filter((at) => at >= 0);
    return places.length === 0 ? undefined : Math.min(...places);
  },
  tokenizer(source) {
    const [sign] = source;
    if (sign !== "$" && sign !== "\\") return undefined;
    const double = DOLLARS.exec(source);
    if (double) return formula(double[0], { tex: double[1] ?? "", display: true, closed: true });
    const round = ROUND.exec(source);
    if (round) return formula(round[0], { tex: round[1] ?? "", display: false, closed: true });
    const square = SQUARE.exec(source);
    if (square && STRONG.test(square[1] ?? "")) {
      return formula(square[0], { tex: square[1] ?? "", display: true, closed: true });
    }
    const single = DOLLAR.exec(source);
    if (!single || !isFormula(single[1] ?? "")) return undefined;
    return formula(single[0], { tex: single[1] ?? "", display: false, closed: true });
  },
};

function formula(raw: string, of: Formula, type = "formula"): FormulaToken | undefined {
  return raw.length > MAX_LENGTH ? undefined : { type, raw, ...of };
}

/** Text between single dollars can be about money: "$5 for a, 6$". */
function isFormula(tex: string): boolean {
  if (/[-+/(=,;:]$/.test(tex)) return false;
  return STRONG.test(tex) || /^\S{1,12}$/.test(tex);
}
