import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { htmlToText } from "./html-text.ts";
import { pageText } from "./page-text.ts";

const base = new URL("https://example.com/docs/");
const read = (html: string) => htmlToText(html, base).text;

test("[B3] a page is read as text with its headings, lists and links", () => {
  const page = htmlToText(
    `<!doctype html><html><head><title>A &amp; B</title><style>p{color:red}</style>
     <script>if (a < b) document.write("<p>no</p>")</script></head>
     <body><!-- <p>hidden</p> --><h1>Top</h1><p>One <b>two</b>
     <a href="../x?a=1&amp;b=2">three</a>.</p><ul><li>first<li>second</ul>
     <a href="javascript:alert(1)">bad</a> <a href="#here">here</a><a href="/empty"></a>
     <pre>a
  b</pre><table><tr><td>1</td><td>2</td></tr></table><img src=x alt="A ship"></body></html>`,
    base,
  );
  assert.equal(page.title, "A & B");
  assert.equal(
    page.text,
    `# Top

One two [three](https://example.com/x?a=1&b=2).

- first
- second

bad here

a
  b

1 2

[image: A ship]`,
  );
});

test("[B3] broken pages end, and nothing of a script comes through", () => {
  assert.equal(read("a < b and c"), "a < b and c");
  assert.equal(read("<p>x<script>secret"), "x");
  assert.equal(read('<p title="a > b">x</p>'), "x");
  assert.equal(read('<p title="never closed>x</p>'), "");
  assert.equal(read("a<!-- never closed"), "a");
  assert.equal(read("&#x41;&#66;&unknown;&#0;&#x110000;"), "AB&unknown;\uFFFD\uFFFD");
});

test("[B1] hostile pages take time in proportion to their length", () => {
  const hostile = [
    "<",
    "<a ",
    "<a href='",
    '<p x="',
    "<!--",
    "</",
    "<script>",
    "&",
    "<a href=x>",
    '= "',
    "<div>",
    "<b></i>",
  ];
  for (const part of hostile) read(part.repeat(1_000_000 / part.length));
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const page = pageText(Buffer.from(text), "text/html", base);
      assert.ok(page.text.isWellFormed());
    }),
  );
});

test("[B3] text is decoded as declared, and what is no text stays out", () => {
  const latin = Buffer.from("caf\xe9", "latin1");
  assert.equal(pageText(latin, "text/plain; charset=iso-8859-1", base).text, "café");
  const html = Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9', "latin1");
  assert.equal(pageText(html, "text/html", base).text, "café");
  assert.equal(pageText(latin, "text/plain; charset=no-such", base).text, "caf\uFFFD");
  assert.equal(pageText(Buffer.from("{}"), "application/ld+json", base).kind, "text");
  assert.equal(pageText(Buffer.from("\0"), "image/png", base).kind, "binary");
  assert.equal(pageText(Buffer.from("a\0b"), "", base).kind, "binary");
});

test("[B3] a name that every object has is no character's name", () => {
  assert.equal(read("<p>a &amp; b &toString; &valueOf;</p>"), "a & b &toString; &valueOf;");
});
