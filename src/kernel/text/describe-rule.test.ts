import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rule } from "../events/catalogue/permissions.ts";
import { quoted, ruleText } from "./describe-rule.ts";

test("[S] the words of a rule show where each ends", () => {
  assert.deepEqual(["npm", "a b", "it's", "", "--x=1"].map(quoted), [
    "npm",
    "'a b'",
    String.raw`'it'\''s'`,
    "''",
    "--x=1",
  ]);
});

test("[S] every part of a rule is said, and nothing in it can hide", () => {
  const allow = (about: Partial<Rule>): string =>
    ruleText({ effect: "allow", tool: "exec", ...about });
  assert.equal(allow({ command: "npm test" }), "exactly “npm test”");
  assert.equal(
    allow({ argv: ["git", "log"], cwd: "lib", network: true, protected: true }),
    "commands that begin with “git log” in “lib”, with the network, with the right to change protected files",
  );
  assert.equal(
    allow({ command: "./x.sh a", files: { "x.sh": "0f", a: "absent" } }),
    "exactly “./x.sh a” while “x.sh” stays as it is (files it loads are not checked)",
  );
  assert.equal(
    allow({ tool: "mcp__fs__*", trust: "server", server: '["npx","fs"]' }),
    'every tool of the server behind “mcp__fs__*” while it is started as “["npx","fs"]”',
  );
  assert.equal(allow({}), "“exec”, whatever it is given");
  assert.equal(allow({ command: "a\u202eb" }), String.raw`exactly “a\u{202e}b”`);
});
