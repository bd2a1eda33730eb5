// Commands that look harmless by their words: options cut short, in bundles, or before the words a rule names.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Rule } from "../../events/catalogue/permissions.ts";
import { inspectCommand } from "./inspect-command.ts";
import { running } from "./programs.ts";
import { decide } from "./permissions.ts";
import type { Access } from "../tools/tool.ts";

/** Nothing that its arguments could name is there. */
const exec = (command: string): Access => {
  const access = { kind: "execute", command, network: false } as const;
  const { executes } = inspectCommand(access, "/w");
  return { ...access, files: Object.fromEntries(executes.map((file) => [file, "absent"])) };
};
const rule = (effect_: Rule["effect"], about: Partial<Rule> = {}): Rule => ({
  effect: effect_,
  tool: "exec",
  ...about,
});
const effect = (access: Access, rules: readonly Rule[], { yolo = false } = {}) =>
  decide({
    tool: { name: "exec", risk: "execute" },
    accesses: [access],
    workspace: "/w",
    rules,
    grantedSession: false,
    yolo,
    hidden: false,
  }).effect;

const SHOWN_ONLY = ["plain", "project", "inert"]; // it runs nothing of what it is given
const isShownOnly = (line: readonly string[]) => SHOWN_ONLY.includes(running(line).kind);

test("[P2g, S] options before the words of a rule that forbids hide nothing from it", () => {
  const rules = [
    rule("allow"),
    rule("deny", { argv: ["git", "push"] }),
    rule("deny", { argv: ["npm", "publish"] }),
    rule("deny", { argv: ["gh", "repo", "delete"] }),
    rule("deny", { argv: ["rm", "-rf"] }),
  ];
  const forbidden = [
    ["git push", "git --no-pager push", "git -P --no-optional-locks push origin"],
    [
      "npm --silent publish",
      "npm --tag next publish",
      "npm --tag=next publish",
      "npm -s -s publish",
    ],
    ["gh --repo x repo --yes delete", "rm -rf x", "rm -v -rf x", "/bin/rm -v -rf x"],
  ].flat();
  for (const line of forbidden) {
    assert.equal(effect(exec(line), rules), "deny", line);
    assert.equal(effect(exec(line), rules.slice(1), { yolo: true }), "deny", line);
  }
  for (const line of ["git commit push", "npm run publish", "gh pr list", "echo git push"]) {
    assert.equal(effect(exec(line), rules), "allow", line);
  }
  const allows = [rule("allow", { argv: ["git", "push"] })];
  assert.equal(
    effect(exec("git --no-pager push"), allows),
    "ask",
    "one that allows looks past nothing",
  );
});

test("[P3, S] an option that runs something is known cut short, in a bundle, and in whatever the real program takes", () => {
  const runs = ["./ran", "sh -c ./ran", "sh,-c,./ran"] as const;
  const lines = [
    ["tar", "--checkpoint=1", `--checkpoint-=exec=${runs[0]}`, "-cf", "/dev/null", "a"],
    ["tar", "cPfI", "b.tar", runs[0], "a"],
    ["tar", "--inf=./ran", "-cMf", "b.tar", "-L1", "a"],
    ["split", `--f=${runs[0]}`, "a"],
    ["sort", `--co=${runs[0]}`, "-S", "10k", "big"],
    ["make", "-E", `$(shell ${runs[0]})`],
    ["make", `X!=${runs[0]}`],
    ["make", `X:=$(shell ${runs[0]})`],
    ["make", `X=;${runs[0]}`, "-f", "Makefile.x"],
    ["git", "clone", "--templ=t", "r", "c1"],
    ["git", "clone", `--up=${runs[1]}`, "r", "c2"],
    ["git", "clone", "-qu", runs[1], "r", "c3"],
    ["git", "clone", "--con=core.hooksPath=../t/hooks", "r", "c4"],
    ["git", "ls-remote", `--up=${runs[1]}`, "r"],
    ["git", "grep", "--no-index", "-EO./ran", "x", "a"],
    ["git", "grep", "--no-index", `--op=${runs[0]}`, "x", "a"],
    ["npm", "exe", "--offline", "-c", runs[0]],
    ["npm", "test", `--script-sh=${runs[0]}`],
    ["cc", "-wrapper", runs[2], "-c", "-x", "c", "/dev/null"],
    ["gcc", "-Bt/", "-c", "-x", "c", "/dev/null"],
    ["install", "-s", `--strip-p=${runs[0]}`, "a", "b"],
    ["zip", "-qTT", runs[0], "o.zip", "a"],
    ["wget", `--use-ask=${runs[0]}`, "http://127.0.0.1:9/"],
  ];
  const known = lines.filter((line) => !isShownOnly(line));
  const ran = lines.filter((line) => hasRun(line));
  assert.deepEqual(
    lines.filter((line) => !known.includes(line)),
    [],
    "each asks",
  );
  assert.ok(ran.length > 5, `the programs that are here did run it: ${ran.join("; ")}`);
});

/** Whether the real program ran what an argument names. */
function hasRun([program = "", ...args]: readonly string[]): boolean {
  const place = mkdtempSync(join(tmpdir(), "qd-runs-"));
  try {
    const marked = join(place, "marked");
    const script = { mode: 0o755 };
    writeFileSync(join(place, "ran"), `#!/bin/sh\n: >'${marked}'\n`, script);
    writeFileSync(join(place, "a"), "x\n");
    writeFileSync(join(place, "big"), "some words in a line\n".repeat(5_000));
    writeFileSync(join(place, "Makefile.x"), "all:\n\techo $(X)\n");
    writeFileSync(join(place, "package.json"), '{"scripts":{"test":"echo"}}');
    mkdirSync(join(place, "t", "hooks"), { recursive: true });
    for (const hook of ["t/as", "t/hooks/post-checkout"]) {
      writeFileSync(join(place, hook), `#!/bin/sh\n: >'${marked}'\n`, script);
    }
    const git = ["-c", "user.name=a", "-c", "user.email=a@b", "-C", "r"];
    if (program === "git") {
      spawnSync("git", ["init", "-q", "r"], { cwd: place });
      spawnSync("git", [...git, "commit", "-q", "--allow-empty", "-m", "x"], { cwd: place });
    }
    spawnSync(program, args, { cwd: place, timeout: 20_000, stdio: "ignore" });
    return existsSync(marked);
  } finally {
    // A child that outlived its program may still write here.
    rmSync(place, { recursive: true, force: true, maxRetries: 20 });
  }
}
