// Links in a workspace, which whoever made the repository chose: a word that names a file in it may open another.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Rule } from "../../../events/catalogue/permissions.ts";
import { decide } from "../permissions.ts";

test("[P1e, P2] what a link leads to counts, not how it is called", () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "qd-links-")));
  try {
    const workspace = join(top, "w");
    for (const folder of ["w/docs", "w/secrets", "other/deep"]) {
      mkdirSync(join(top, folder), { recursive: true });
    }
    for (const file of ["w/docs/a", "w/secrets/key", "other/key"]) {
      writeFileSync(join(top, file), "x");
    }
    symlinkSync(join(top, "other/key"), join(workspace, "out"));
    symlinkSync("../../other/deep", join(workspace, "docs/deep"));
    symlinkSync(join(top, "other/new"), join(workspace, "dangling"));
    symlinkSync("secrets", join(workspace, "in"));
    symlinkSync("docs/a", join(workspace, "fine"));
    symlinkSync(workspace, join(top, "alias"));

    const judge = (command: string, rules: Rule[], { yolo = false, at = workspace } = {}) =>
      decide({
        tool: { name: "exec", risk: "execute" },
        accesses: [{ kind: "execute", command, network: false }],
        workspace: at,
        rules,
        grantedSession: false,
        yolo,
        hidden: false,
      }).effect;
    const allow = ["cat", "touch", "ls", "mkdir"].map((name): Rule => ({
      effect: "allow",
      tool: "exec",
      argv: [name],
      cwd: "**",
    }));
    const leaving = ["cat out", "cat ./out", "cat docs/deep/../key", "cd docs/deep && ls"];
    for (const line of [...leaving, "touch dangling", "mkdir docs/deep/new", "ls docs/deep"]) {
      assert.equal(judge(line, allow), "ask", line);
    }
    for (const line of ["cat docs/a", "cat fine in/key", "cd docs && ls ..", "touch new/x"]) {
      assert.equal(judge(line, allow), "allow", line);
      assert.equal(judge(line, allow, { at: join(top, "alias") }), "allow", line);
    }

    const deny: Rule[] = [{ effect: "deny", tool: "*", path: "secrets/**" }];
    for (const line of ["cat in/key", "cd in && cat key", "cat out", "cat docs/deep/../key"]) {
      assert.equal(judge(line, deny, { yolo: true }), "ask", line);
    }
    for (const line of ["cat docs/a", "cat ./docs/../docs/a", "cd docs && cat a", "touch new"]) {
      assert.equal(judge(line, deny, { yolo: true }), "allow", line);
      assert.equal(judge(line, deny, { yolo: true, at: join(top, "alias") }), "allow", line);
    }
  } finally {
    rmSync(top, { recursive: true });
  }
});
