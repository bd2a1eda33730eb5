import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "./blocks.ts";

const html = (markdown: string) =>
  blocksOf(markdown)
    .map((block) => (block.kind === "html" ? block.html : `[${block.lang}]${block.text}`))
    .join("");

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
  const whole = blocksOf(text);
  for (let end = 0; end <= text.length; end += 1) {
    const part = blocksOf(text.slice(0, end));
    const finished = part.slice(0, -1);
    for (const [index, block] of finished.entries()) assert.deepEqual(block, whole[index]);
  }
});

test("code blocks keep their text and language, also before they are closed", () => {
  assert.deepEqual(blocksOf("```sh\nls -la"), [{ kind: "code", text: "ls -la", lang: "sh" }]);
});
