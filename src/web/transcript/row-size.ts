// Estimated height of a row before it is drawn. Good estimates make less jump while scrolling. Pure.
import type { Item } from "../../kernel/state/run/items.ts";
import type { Row } from "./rows.ts";

const GAP = 12;
const LINE = 22;
const HEAD = 36; // of a card or a group
const LINE_CHARACTERS = 110; // of prose, where the column is as wide as it gets
const SMALL_LINE = 18; // of a terminal
const SMALL_LINE_CHARACTERS = 40; // output is mostly short lines
const MAX_OUTPUT = 280; // then it scrolls by itself

/** Must depend on nothing else, because it is called for all rows at once. */
export function roughSize(row: Row | undefined, item: Item | undefined): number {
  if (row?.kind === "group") return HEAD + GAP;
  if (row?.kind === "end" || row?.kind === "undone") return 45;
  return item ? sizeOf(item) + GAP : GAP;
}

function sizeOf(item: Item): number {
  switch (item.kind) {
    case "user":
      return LINE * linesOf(item.text, LINE_CHARACTERS) + 14;
    case "text":
      return LINE * linesOf(item.text, LINE_CHARACTERS);
    case "reasoning":
      return item.text === "" && item.status === "done" ? 0 : 24;
    case "notice":
      return 24;
    case "tool":
      return HEAD + 2 + outputOf(item.output?.head ?? item.live);
  }
}

function outputOf(text: string): number {
  if (text === "") return 0;
  return Math.min(MAX_OUTPUT, 16 + SMALL_LINE * linesOf(text, SMALL_LINE_CHARACTERS));
}

/** By length only, because it is called for every row of a long session. */
function linesOf(text: string, characters: number): number {
  return Math.max(1, Math.ceil(text.length / characters));
}
