import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { terminalFilter, terminalText } from "./terminal-text.ts";

test("[S] what is said at a terminal is text: it moves no cursor and hides nothing", () => {
  assert.equal(
    terminalText("a\u001b[2Jb\u0007\u009b\r\n\tc\rd\be\u007f"),
    "a\\u{1b}[2Jb\\u{7}\\u{9b}\n\tc\\u{d}d\\u{8}e\\u{7f}",
  );
  assert.equal(terminalText("x\u202ey\u2066 \u2028"), "x\\u{202e}y\\u{2066} \\u{2028}");
  assert.equal(terminalText("rm\u200f 1\u061c /"), "rm\\u{200f} 1\\u{61c} /");
  assert.equal(terminalText("👩‍🚀 é ü \u00a0"), "👩‍🚀 é ü \u00a0");
  assert.equal(terminalText("half \ud83d"), "half \\u{d83d}");
});

const HOSTILE = [
  "\u001b]52;c;cm0gLXJm\u0007",
  "\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\",
  "\u001b]0;title\u0007",
  "\u001b[8m",
  "\u001b[2J\u001b[H",
  "\u001bP1$r0m\u001b\\",
  "\u009b31m",
  "\u009d0;t\u009c",
  "\u202Ehidden\u202C",
  "over\rwritten",
  "line\r\n",
  "back\b\b\b",
  "😀👩‍🚀",
  "plain words",
];
/** What a terminal acts on: nothing but line breaks and tabs may be left. */
const ACTED_ON = /(?![\n\t])\p{Cc}|[\p{Cs}\u202A-\u202E\u2066-\u2069]/u;

test("[W10] finding A6: however a text is cut, its pieces are the text, and nothing in it acts", () => {
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" })), { maxLength: 6 })
    .map((parts) => `${parts.join("")}.`); // a text that ends in half a sequence waits for the rest
  fc.assert(
    fc.property(texts, fc.array(fc.nat(), { maxLength: 5 }), (text, places) => {
      const whole = terminalText(text);
      assert.doesNotMatch(whole, ACTED_ON);
      const cuts = [0, ...places.map((at) => at % text.length).toSorted((a, b) => a - b)];
      const filter = terminalFilter();
      const pieces = cuts.map((at, index) => filter(text.slice(at, cuts[index + 1])));
      assert.equal(pieces.join(""), whole);
      for (const piece of pieces) assert.doesNotMatch(piece, ACTED_ON);
    }),
    { numRuns: tries(500) },
  );
  for (const text of HOSTILE) {
    for (let at = 0; at <= text.length; at += 1) {
      const filter = terminalFilter();
      const pieces = [text.slice(0, at), text.slice(at), "."].map(filter);
      assert.equal(pieces.join(""), terminalText(`${text}.`), JSON.stringify([text, at]));
    }
  }
});
