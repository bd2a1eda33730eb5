import assert from "node:assert/strict";
import { test } from "node:test";
import { cdpAddress } from "./cdp-address.ts";
import { bounded, withoutPasswords } from "./page-text.ts";

test("[BR5] a page's text is cut at a line, and says how much is missing", () => {
  assert.deepEqual(bounded("short"), { text: "short", truncated: false });
  const { text, truncated } = bounded(`${"- word\n".repeat(10_000)}`);
  assert.ok(truncated && text.length < 41_000);
  const lines = text.split("\n");
  assert.match(lines.pop() ?? "", /^\[… \d+ characters more\./);
  assert.ok(lines.every((line) => line === "- word"));
  assert.ok(bounded("x".repeat(1_000_000)).text.length < 41_000, "without a line to cut at, too");
});

test("[BR5] what stands in a password field is taken out, and nothing else", () => {
  const tree = [
    '- textbox "Name" [ref=e1]: hunter',
    '- textbox "Pw" [active] [ref=e2]: hunter2',
    '- textbox "Quoted" [ref=e3]: "a: \\"b\\""',
    "- paragraph: hunter2 is said here",
  ].join("\n");
  assert.equal(withoutPasswords(tree, []), tree);
  assert.deepEqual(withoutPasswords(tree, ["hunter2", 'a: "b"', ""]).split("\n"), [
    '- textbox "Name" [ref=e1]: hunter',
    '- textbox "Pw" [active] [ref=e2]: (hidden)',
    '- textbox "Quoted" [ref=e3]: (hidden)',
    "- paragraph: hunter2 is said here",
  ]);
});

test("[BR1a] a debugging address is on this machine or allowed, and carries no secret", () => {
  const good: [string, string][] = [
    ["127.0.0.1:9222", "http://127.0.0.1:9222"],
    [" http://localhost:9222/ ", "http://localhost:9222"],
    ["ws://127.0.0.1:9222/devtools/browser/abc", "ws://127.0.0.1:9222/devtools/browser/abc"],
    ["http://[::1]:9222", "http://[::1]:9222"],
    ["http://2130706433:9222", "http://127.0.0.1:9222"],
    ["wss://chrome.lan:3000", "https://chrome.lan:3000"],
  ];
  for (const [text, url] of good) assert.deepEqual(cdpAddress(text, ["Chrome.lan"]), { url });
  const bad = [
    "",
    " ",
    "file:///etc/passwd",
    "javascript://127.0.0.1/",
    "http://example.org:9222",
    "http://127.0.0.1.example.org:9222",
    "http://10.0.0.1:9222",
    "http://user:pw@127.0.0.1:9222",
    "http://127.0.0.1:9222/?token=x",
    "http://127.0.0.1:99999",
  ];
  for (const text of bad) assert.ok("problem" in cdpAddress(text, []), text);
});
