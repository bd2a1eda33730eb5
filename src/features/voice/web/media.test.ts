// What is read aloud, and where words go in a draft.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { insertWords } from "./insert-text.ts";
import { spokenPieces, spokenText } from "./spoken-text.ts";

test("[UX] words go where the cursor is, with a space where one belongs", () => {
  const put = (text: string, start: number, end = start) =>
    insertWords(text, { start, end }, "ahoy");
  assert.deepEqual(put("", 0), { text: "ahoy", cursor: 4 });
  assert.deepEqual(put("say", 3), { text: "say ahoy", cursor: 8 });
  assert.deepEqual(put("say ", 4), { text: "say ahoy", cursor: 8 });
  assert.deepEqual(put("say loud", 3), { text: "say ahoy loud", cursor: 8 });
  assert.deepEqual(put("say x.", 4, 5), { text: "say ahoy.", cursor: 8 });
  assert.deepEqual(put("a", 99, 99), { text: "a ahoy", cursor: 6 });
});

test("[UX] an answer is read without its marks, and its code is left out", () => {
  const answer = [
    "# Done",
    "",
    "The **notes** are in `a.md`, see [the page](https://x.example/y), _all_ of snake_case_it.",
    "",
    "- one",
    "- two",
    "",
    "| file | lines |",
    "|---|---|",
    "| a.md | 3 |",
    "",
    "```ts",
    "const x = 1;",
    "```",
    "",
    "2 * 3 * 4",
  ].join("\n");
  assert.equal(
    spokenText(answer),
    [
      "Done",
      "",
      "The notes are in a.md, see the page, all of snake_case_it.",
      "",
      "one",
      "two",
      "",
      "file, lines",
      "",
      "a.md, 3",
      "",
      "(Code is left out.)",
      "",
      "2 * 3 * 4",
    ].join("\n"),
  );
  assert.equal(spokenText("```\nnever closed"), "(Code is left out.)");
  assert.deepEqual(spokenPieces(" \n "), []);
});

test("[S] nothing that is written to be slow is", () => {
  for (const part of ["*a ", "[", "[a](", "-", "- |x", " ", "```\n", "~", "|", "_", "\n\n", "."]) {
    assert.ok(spokenPieces(`${part.repeat(100_000)}x`).length > 0, part); // hangs otherwise
  }
});

test("[UX] pieces hold all words, none is too long, and none ends in half a character", () => {
  const long = "One sentence. Another one! ".repeat(20).trim();
  const pieces = spokenPieces(long, 100);
  assert.ok(pieces.every((piece) => piece.length <= 100 && /[.!]$/.test(piece)));
  assert.equal(pieces.join(" "), long);
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 80 }),
      fc.integer({ min: 8, max: 50 }),
      (words, most) => {
        const parts = spokenPieces(words.join(" "), most);
        assert.ok(parts.every((part) => part.length <= most));
        assert.equal(parts.join("").replaceAll(" ", ""), words.join(""));
      },
    ),
  );
  const emoji = spokenPieces("🚢".repeat(100), 21);
  assert.ok(emoji.every((piece) => piece.isWellFormed()));
});
