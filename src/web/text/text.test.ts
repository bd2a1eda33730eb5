import assert from "node:assert/strict";
import { test } from "node:test";
import { ansiRuns } from "./ansi.ts";
import { harmless } from "./harmless.ts";
import { duration, plural, relativeTime } from "./format.ts";
import { visibleJson, visibleLine, visibleText } from "../../kernel/text/visible-text.ts";

test("[S] what cannot be seen, or reorders what is seen, is shown as an escape", () => {
  const cases: Record<string, string> = {
    "rm -rf \u202e/ emoh": String.raw`rm -rf \u{202e}/ emoh`,
    "a\u200bb": String.raw`a\u{200b}b`,
    "a\u2066b\u2069": String.raw`a\u{2066}b\u{2069}`,
    "tag\u{e0041}": String.raw`tag\u{e0041}`,
    "bell\u0007": String.raw`bell\u{7}`,
    "line\u2028two": String.raw`line\u{2028}two`,
    "hangul\u3164": String.raw`hangul\u{3164}`,
    "nbsp\u00a0": String.raw`nbsp\u{a0}`,
    "lone\ud800": String.raw`lone\u{d800}`,
  };
  for (const [raw, shown] of Object.entries(cases)) assert.equal(visibleText(raw), shown);
});

test("[S] ordinary text in any script stays as it is", () => {
  for (const text of ["ls -la | wc\n\tnext", "naïve ⛵ ⚠️", "日本語", "שלום", "a b"]) {
    assert.equal(visibleText(text), text);
  }
  assert.equal(visibleLine("  two\n lines "), "two lines");
});

test("[S] terminal output keeps colours and drops every other control sequence", () => {
  const text = (output: string) =>
    ansiRuns(output)
      .map((run) => run.text)
      .join("");
  assert.deepEqual(ansiRuns("\u001b[1;31mred\u001b[0m plain"), [
    { text: "red", color: "red", bold: true },
    { text: " plain", color: null, bold: false },
  ]);
  assert.deepEqual(ansiRuns("\u001b[38;5;196mx\u001b[38;2;1;2;3my\u001b[92mz"), [
    { text: "x", color: null, bold: false },
    { text: "y", color: null, bold: false },
    { text: "z", color: "green", bold: false },
  ]);
  assert.equal(text("a\u001b[2J\u001b[1;1Hb"), "ab");
  assert.equal(text("\u001b]8;;http://x\u0007link\u001b]8;;\u001b\\"), "link");
  assert.equal(text("\u001b]0;title"), "");
  assert.equal(text("10%\r50%\r100%\r\ndone"), "100%\ndone");
  assert.equal(text("a\u0008b"), String.raw`a\u{8}b`);
});

test("durations and times are short and never negative", () => {
  assert.deepEqual([0, 999, 1_000, 9_949, 12_400, 59_600, 61_000, 3_725_000].map(duration), [
    "0 ms",
    "999 ms",
    "1.0 s",
    "9.9 s",
    "12 s",
    "1 m 0 s",
    "1 m 1 s",
    "1 h 2 m",
  ]);
  assert.deepEqual(
    [0, 50, 600, 7_200, 200_000].map((ago) => relativeTime(1_000_000 - ago, 1_000_000_000)),
    ["now", "1 m", "10 m", "2 h", "2 d"],
  );
  assert.equal(relativeTime(2_000_000, 1_000_000_000), "now");
  assert.deepEqual([plural(1, "token"), plural(1_234, "token")], ["1 token", "1,234 tokens"]);
});

test("[S] JSON to be edited shows what is hidden and means exactly the same", () => {
  for (const text of [
    "rm \u202e x",
    "a\u200bb",
    "tag\u{e0041}",
    String.raw`\u{41} \u0041 \\`,
    "⚠️\n\t",
  ]) {
    const json = visibleJson({ command: text });
    assert.deepEqual(JSON.parse(json), { command: text });
    assert.equal(visibleText(json), json);
  }
});

test("[S] prose keeps what languages need and shows what only hides or reorders", () => {
  for (const text of [
    "naïve ⛵ 👩‍💻 ⚠️",
    "می‌خواهم",
    "שלום\u200f world",
    "co\u00adoperate",
    "a\u00a0b\tc\n",
  ]) {
    assert.equal(harmless(text), text);
  }
  const tricks = "\u202e\u202c\u2066\u2069\u200b\u2060\ufeff\u{e0041}\u2028\u0007\u001b\u3164";
  assert.match(harmless(tricks), /^(\\u\{[0-9a-f]+\})+$/);
});
