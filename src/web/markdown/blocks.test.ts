import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { blocksOf, grow, htmlOf, type Block, type Growing } from "./blocks.ts";
import { canBeDrawn } from "./diagram-source.ts";
import { trueTarget } from "./links.ts";
import { drawFormula } from "./maths.ts";

const html = (markdown: string) =>
  blocksOf(markdown)
    .map((block) => (block.kind === "html" ? block.html : JSON.stringify(block)))
    .join("");
const drawn = (markdown: string) =>
  blocksOf(markdown)
    .map((block) => (block.kind === "html" ? htmlOf(block, drawFormula) : ""))
    .join("");
/** Without what only the parser needs. */
const plain = (blocks: readonly Block[]) =>
  blocks.map((block) => (block.kind === "html" ? { html: block.html } : block));

test("[S] raw HTML in markdown is text, in blocks and in lines", () => {
  const shown = html('<img src=x onerror=alert(1)>\n\nan <b onclick="x">inline</b> tag');
  assert.ok(!/<(img|b|script)/.test(shown), shown);
  assert.ok(shown.includes("&lt;img src=x"));
});

test("[S] an image becomes a link that loads nothing", () => {
  const shown = html('![a "cat"](https://example.com/c.png)');
  assert.ok(!shown.includes("<img"));
  assert.ok(shown.includes('href="https://example.com/c.png"'));
});

test("[V1] while text streams in, finished blocks stay exactly the same", () => {
  const text = "# Title\n\nfirst *paragraph*\n\n- a\n- b\n\n```ts\nconst x = 1;\n```\n\nlast one";
  const whole = plain(blocksOf(text));
  for (let end = 0; end <= text.length; end += 1) {
    const finished = plain(blocksOf(text.slice(0, end))).slice(0, -1);
    for (const [index, block] of finished.entries()) assert.deepEqual(block, whole[index]);
  }
});

const PIECES = [
  "# Title\n\n",
  "words *and* more\n",
  "\n",
  "- item\n",
  "  - inner\n",
  "\n\n",
  "```ts\n",
  "const a = 1;\n",
  "```\n",
  "    indented\n",
  "> quote\n",
  "| a | b |\n",
  "|---|---|\n",
  "| 1 | 2 |\n",
  "$$\n",
  "x^2\n",
  "\\[ y \\]\n",
  "1. one\n",
  "<div>\n",
  "</div>\n",
  "===\n",
  "---\n",
  "text $a_1$ text",
  "\r\n",
  "~~~\n",
  "\t",
  "<!-- ",
  "-->\n",
  "* * *\n",
];

test("[V1] a text that grows in any steps ends as the same text read at once", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (pieces, steps) => {
        const text = pieces.join("");
        let growing: Growing | null = null;
        for (let end = 0; end < text.length; end += steps.next().value ?? 1)
          growing = grow(growing, text.slice(0, end));
        growing = grow(growing, text);
        assert.deepEqual(plain(growing.blocks), plain(blocksOf(text)));
      },
    ),
    { numRuns: tries(500) },
  );
});

test("[S5] a long text that grows is not read from its beginning again, and what is settled stays itself", () => {
  const text = "Some *prose* with `code` and $x^2$.\n\n".repeat(3_000);
  const before = grow(grow(null, text), `${text}more`);
  const after = grow(before, `${text}more words`);
  assert.ok(text.length - after.settledTo < 200, "only the end is open");
  assert.equal(after.blocks[100], before.blocks[100]);
});

test("code blocks keep their text and language, and say whether they are complete", () => {
  const code = { kind: "code", text: "ls -la", lang: "sh" };
  assert.deepEqual(blocksOf("```sh\nls -la"), [{ ...code, closed: false }]);
  assert.deepEqual(blocksOf("```sh title=x\nls -la\n```"), [{ ...code, closed: true }]);
  assert.deepEqual(blocksOf("    ls -la"), [{ ...code, lang: "", closed: true }]);
});

test("[UX] formulas are found, and dollars in prose stay dollars", () => {
  const formulas = (text: string) =>
    [...html(text).matchAll(/<code>([^<]*)<\/code>/g)].map(([, tex]) => tex);
  assert.deepEqual(formulas(String.raw`$x^2$, $n$, \(a_b\), $3/4$ and $$c$$`), [
    "$x^2$",
    "$n$",
    String.raw`\(a_b\)`,
    "$3/4$",
    "$$c$$",
  ]);
  for (const prose of [
    "costs $5 and $6",
    "US$5, US$6",
    "$HOME and $PATH",
    "$5-$10",
    "set $MY_VAR to US$5",
    "a $ b $ c",
    String.raw`\[not a formula\]`,
    "$1,000 for a$",
  ]) {
    assert.deepEqual(formulas(prose), [], prose);
  }
  assert.deepEqual(formulas("```\n$x^2$\n```"), []);
  assert.deepEqual(blocksOf("$$\nx\n$$").length, 1);
  assert.match(
    html("$$\na_b and *c"),
    /<code>\$\$\na_b and \*c<\/code>/,
    "calm while it is written",
  );
});

test("[S] a formula is drawn without links, images, classes or styles; what cannot be drawn is shown", () => {
  assert.match(drawn("$x^2$"), /<math><msup>/);
  for (const tex of [
    String.raw`\href{javascript:alert(1)}{x}`,
    String.raw`\includegraphics{http://x/y}`,
    String.raw`\htmlClass{a}{x}`,
    String.raw`\style{color:red}{x}`,
    String.raw`\url{http://x}`,
  ]) {
    assert.ok(!/href|src|class|style=|<img|<a /.test(drawFormula(tex, true) ?? ""), tex);
  }
  assert.ok(
    !/style=|class=/.test(
      drawFormula(String.raw`\color{red} x \begin{matrix}a&b\end{matrix}`, true) ?? "",
    ),
  );
  assert.equal(drawFormula(String.raw`\frac{`, true), null);
  assert.match(drawn(String.raw`$\frac{$`), /\$\\frac\{\$/);
  assert.equal(drawFormula("x".repeat(5_000), true), null);
});

test("[B] what is too much to draw is shown as it was written", () => {
  const table = `${"|a".repeat(300)}|\n${"|-".repeat(300)}|\n${`${"|a".repeat(300)}|\n`.repeat(50)}`;
  assert.equal(blocksOf(table)[0]?.kind, "plain");
  assert.equal(blocksOf("x".repeat(500_000))[0]?.kind, "plain");
  assert.equal(blocksOf(`${">".repeat(30_000)}a`)[0]?.kind, "plain");
  assert.equal(blocksOf(`${">".repeat(60)}a`)[0]?.kind, "plain");
  assert.equal(blocksOf("> > > a")[0]?.kind, "html");
});

test("[S] a link whose words name another place, or that is disguised, says where it leads", () => {
  const cases: readonly [words: string, href: string, said: string | null][] = [
    ["google.com", "https://evil.example/", "evil.example"],
    ["https://google.com/x", "https://google.com.evil.example/", "google.com.evil.example"],
    ["google.com", "https://www.google.com/a", null],
    ["read this", "https://example.com/", null],
    ["README.md", "https://github.com/a/b", null],
    ["аpple", "https://аpple.com/", "xn--pple-43d.com"],
    ["here", "https://google.com@evil.example/", "evil.example"],
    ["me@bank.com", "mailto:thief@evil.example", "thief@evil.example"],
    ["me@bank.com", "mailto:me@bank.com", null],
  ];
  for (const [words, href, said] of cases) assert.equal(trueTarget(words, href), said, words);
});

test("[S] a diagram with markup, addresses or settings of its own is shown as its source", () => {
  const drawn = [
    "graph TD\nA[Start<br/>here] --> B{ok?}",
    "classDiagram\nclass Shape {\n<<interface>>\n}\nA <|-- B\nB <-- C",
    "sequenceDiagram\nA->>B: see https://example.com",
    "graph LR\nlinked --> clicked",
  ];
  const refused = [
    "graph TD\nA[<img src=x>]",
    '%%{init: {"securityLevel":"loose"}}%%\ngraph TD\nA-->B',
    "---\nconfig: {}\n---\ngraph TD",
    "graph TD\nstyle A fill:url(http://x)",
    'graph TD\nA@{ img: "http://x" }',
    'graph TD\nclick A "http://x"',
    "graph TD\nA[&lt;img&gt;]",
    "graph TD\nA[<<script>]",
  ];
  assert.deepEqual(
    drawn.filter((text) => !canBeDrawn(text)),
    [],
  );
  assert.deepEqual(refused.filter(canBeDrawn), []);
});
