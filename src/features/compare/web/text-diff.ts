// Diffs two texts by word, by line if they are long, and not at all if they are longer still.
import { commonOf } from "./lcs.ts";

export type TextPart = { readonly kind: "same" | "left" | "right"; readonly text: string };

const MAX_WORDS = 1_500; // of both sides
const MAX_LINES = 4_000;

export function diffText(left: string, right: string): TextPart[] {
  if (left === right) return left === "" ? [] : [{ kind: "same", text: left }];
  const words = [split(left, WORDS), split(right, WORDS)] as const;
  if (words[0].length + words[1].length <= MAX_WORDS) return diffPieces(...words);
  const lines = [split(left, LINES), split(right, LINES)] as const;
  if (lines[0].length + lines[1].length <= MAX_LINES) return diffPieces(...lines);
  return parts([
    { kind: "left", text: left },
    { kind: "right", text: right },
  ]);
}

const WORDS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
const LINES = /[^\n]*\n|[^\n]+$/g;

function split(text: string, by: RegExp): string[] {
  return text.match(by) ?? [];
}

function diffPieces(left: readonly string[], right: readonly string[]): TextPart[] {
  const found: TextPart[] = [];
  let [atLeft, atRight] = [0, 0];
  const apart = (leftEnd: number, rightEnd: number) => {
    found.push({ kind: "left", text: left.slice(atLeft, leftEnd).join("") });
    found.push({ kind: "right", text: right.slice(atRight, rightEnd).join("") });
  };
  for (const [one, two] of commonOf(left, right)) {
    apart(one, two);
    found.push({ kind: "same", text: left[one] ?? "" });
    [atLeft, atRight] = [one + 1, two + 1];
  }
  apart(left.length, right.length);
  return parts(found);
}

/** Joins neighbours of the same kind and drops empty parts. */
function parts(pieces: readonly TextPart[]): TextPart[] {
  const merged: { kind: TextPart["kind"]; text: string }[] = [];
  for (const { kind, text } of pieces) {
    if (text === "") continue;
    const before = merged.at(-1);
    if (before?.kind === kind) before.text += text;
    else merged.push({ kind, text });
  }
  return merged;
}
