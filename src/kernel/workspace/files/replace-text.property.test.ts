import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { replaceText } from "./replace-text.ts";

const texts = fc.string({ unit: fc.constantFrom("a", "b", "€", "\n"), maxLength: 30 });

test("a text that occurs once is replaced there and nowhere else, and the area is where it stands", () => {
  fc.assert(
    fc.property(texts, texts, texts, texts, (head, oldText, tail, newText) => {
      fc.pre(oldText !== "");
      const before = head + oldText + tail;
      let places = 0;
      for (let at = before.indexOf(oldText); at >= 0; at = before.indexOf(oldText, at + 1))
        places += 1;

      const result = replaceText(Buffer.from(before), { oldText, newText, all: false });

      if (places > 1) return assert.equal(!result.ok && result.code, "ambiguous");
      assert.ok(result.ok);
      assert.equal(result.content.toString(), head + newText + tail);
      const lines = (head + newText + tail).split("\n");
      const { startLine, endLine } = result.area;
      const shown = lines.slice(startLine - 1, endLine).join("\n");
      assert.ok(shown.includes(newText.replace(/\n$/, "")), JSON.stringify({ shown, newText }));
      assert.equal(startLine, head.split("\n").length);
    }),
  );
});

test("replace_all does what String.replaceAll does", () => {
  fc.assert(
    fc.property(texts, texts, texts, (before, oldText, newText) => {
      fc.pre(oldText !== "" && before.includes(oldText));
      const result = replaceText(Buffer.from(before), { oldText, newText, all: true });
      assert.equal(
        result.ok && result.content.toString(),
        before.replaceAll(oldText, () => newText),
      );
    }),
  );
});
