import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown } from "./grammars.ts";
import { highlight, languageOf, MAX_CHARACTERS, NAMES } from "./highlight.ts";

const textOf = (lines: Awaited<ReturnType<typeof highlight>>) =>
  lines.map((line) => line.map(({ text }) => text).join("")).join("\n");

test("[V1] colours change nothing about the text, in any language, whatever it says", async () => {
  const texts = [
    "",
    "\n",
    'const x = `a ${b} <script>alert("&amp;")</script>`; // note\n\nfunction f(): number { return 1 }',
    "<!doctype html><style>a{color:red}</style><script>let a = 1;</script>\n<p class='x'>hi</p>",
    "```\n# title\n*em*\n",
    "def f(x):\n    '''doc\n    two'''\n    return f\"{x!r}\"\n",
    "\u202e\u0000\ud800 ünï ⛵\t\r\n",
  ];
  for (const lang of [...NAMES, "nobody-knows"]) {
    for (const text of texts) assert.equal(textOf(await highlight(text, lang)), text, lang);
  }
});

test("every name is one the grammars know", () => {
  assert.deepEqual(
    [...NAMES].filter((name) => !isKnown(name)),
    [],
  );
});

test("[UX] words get the name of their kind, also in a language within another", async () => {
  const kinds = (await highlight('<script>const a = "x";</script> // no', "HTML")).flat();
  assert.ok(kinds.some(({ text, kind }) => text === "const" && kind === "keyword"));
  assert.ok(kinds.some(({ text, kind }) => text === '"x"' && kind === "string"));
  assert.deepEqual(await highlight("+a\n-b", "diff"), [
    [{ text: "+a", kind: "added" }],
    [{ text: "-b", kind: "removed" }],
  ]);
});

test("[B] what is too long or of no known language comes back plain and complete", async () => {
  const long = "const a = 1;\n".repeat(MAX_CHARACTERS / 12);
  const lines = await highlight(long, "ts");
  assert.equal(textOf(lines), long);
  assert.ok(lines.flat().every(({ kind }) => kind === null));
  assert.deepEqual(await highlight("const", "constructor"), [[{ text: "const", kind: null }]]);
  assert.ok((await highlight(`const a = "${"x".repeat(5_000)}"`, "ts")).flat().length === 1);
});

test("files are known by their names", () => {
  assert.deepEqual(
    ["a/b.TS", "Makefile", "x/Dockerfile", "notes", "a.unknown", "a.constructor", "b.py"].map(
      languageOf,
    ),
    ["ts", "makefile", "dockerfile", "", "", "", "py"],
  );
});
