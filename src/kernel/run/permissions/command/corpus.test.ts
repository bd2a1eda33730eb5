// The corpora of test/permissions: what must never run by a rule, and what must never be asked about twice.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Rule } from "../../../events/catalogue/permissions.ts";
import { inspectCommand } from "../inspect-command.ts";
import { decide, type Verdict } from "../permissions.ts";

type Group = { what: string; cwd?: string; commands: string[] };
type Case = { command: string; cwd: string | undefined };
type Patterns = { first: string; then: string[] }[];

const data = <Data>(name: string): Data =>
  JSON.parse(
    readFileSync(new URL(`../../../../test/permissions/${name}.json`, import.meta.url), "utf8"),
  ) as Data;
const casesOf = (name: string): Case[] =>
  data<Group[]>(name).flatMap(({ commands, cwd }) => commands.map((command) => ({ command, cwd })));
const hostile = casesOf("hostile-commands");
const evasions = casesOf("evasions");
const everyday = casesOf("everyday-commands");

type Asked = { rules: readonly Rule[]; content?: string; yolo?: boolean; hidden?: boolean };

/** `content`: of every file that is executed, but for those that are other words of the command. */
function judge({ command, cwd }: Case, { rules, content = "h1", yolo = false, hidden }: Asked) {
  const access = { kind: "execute", command, cwd, network: false } as const;
  const { executes } = inspectCommand(access, "/w");
  const files = Object.fromEntries(
    executes.map((file) => [file, contentOf(file, command, content)]),
  );
  return decide({
    tool: { name: "exec", risk: "execute" },
    accesses: [{ ...access, files }],
    workspace: "/w",
    rules,
    grantedSession: false,
    yolo,
    hidden: hidden ?? false,
  });
}

/** What looks like a file is there; anything above the workspace is out of reach. */
function contentOf(file: string, command: string, content: string): string {
  if (file.startsWith("/")) return "outside";
  return /[./]/.test(file) || command.includes(`./${file}`) ? content : "absent";
}

const allow = (about: Partial<Rule>): Rule => ({ effect: "allow", tool: "exec", ...about });
const deny = (about: Partial<Rule>): Rule => ({ effect: "deny", tool: "*", ...about });
const reasoned = ({ reason }: Verdict) => assert.match(reason, /^[“A-Z].+[.)]?$/s);
const words = (command: string) => command.split(/\s+/).filter((word) => word !== "");

/** As many as people could have allowed: what is offered for everyday commands, and what profiles say. */
const plausible: Rule[] = [
  ...everyday.flatMap((it) => {
    const { always, wider } = judge(it, { rules: [] });
    return [...(always ? [always] : []), ...wider.map(({ rule }) => rule)];
  }),
  ...[...everyday, ...hostile]
    .flatMap(({ command }) => {
      const all = words(command);
      return [1, 2, 3]
        .filter((length) => length < all.length)
        .map((length) => all.slice(0, length));
    })
    .map((argv) => allow({ argv })),
];

test("[P2, P3, A3, A4, A5, A13] no hostile command runs by no rule, or by every rule that is plausible", () => {
  const all = [...hostile, ...evasions];
  assert.ok(all.length >= 300, `${all.length} commands`);
  for (const it of all) {
    const verdict = judge(it, { rules: [] });
    assert.equal(verdict.effect, "ask", it.command);
    reasoned(verdict);
  }
  const ran = hostile.filter((it) => {
    const verdict = judge(it, { rules: plausible, content: "h2" }); // files changed since
    reasoned(verdict);
    return verdict.effect === "allow";
  });
  assert.deepEqual(ran, []);
});

const DENIED_COMMANDS = [["git", "push"], ["rm"], ["npm", "publish"]].map((argv) => deny({ argv }));
const DENIED_PATHS = ["secrets/**", "**/.env"].map((path) => deny({ path }));
const isAboutPaths = (it: Case) => denied.has(it.command);
const denied = new Set(data<Group[]>("evasions").at(-1)?.commands);

test("[P1, P6, A7] where nobody is asked, what is denied does not run however it is spelled", () => {
  const ran = (cases: readonly Case[], rules: readonly Rule[]) =>
    cases.filter((it) => {
      const verdict = judge(it, { rules, yolo: true });
      reasoned(verdict);
      return verdict.effect === "allow";
    });
  for (const first of [[], [allow({})]]) {
    const commands = evasions.filter((it) => !isAboutPaths(it));
    assert.deepEqual(ran(commands, [...first, ...DENIED_COMMANDS]), []);
    assert.deepEqual(ran(evasions.filter(isAboutPaths), [...first, ...DENIED_PATHS]), []);
  }
  ran(hostile, [...DENIED_COMMANDS, ...DENIED_PATHS]);
});

test("[P2h] a command that names a denied path is denied, also where the sandbox hides it", () => {
  const named = evasions.filter(({ command }) =>
    /^\S+ (\S+ )*['./]*(secrets\/|\.env)/.test(command),
  );
  assert.ok(named.length > 10);
  for (const it of named) {
    const verdict = judge(it, { rules: DENIED_PATHS, yolo: true, hidden: true });
    assert.equal(verdict.effect, "deny", it.command);
  }
  const plain = { command: "npm test", cwd: undefined };
  const hidden = judge(plain, { rules: DENIED_PATHS, yolo: true, hidden: true });
  assert.equal(hidden.effect, "allow", "the sandbox has no such file");
  const reachable = judge(plain, { rules: DENIED_PATHS, yolo: true, hidden: false });
  assert.match(reachable.reason, /without a sandbox/);
  assert.equal(reachable.effect, "ask");
});

test("[P6b, P6c] where nobody is asked and something is denied, ordinary work goes on", () => {
  const stopped = everyday.filter(
    (it) => judge(it, { rules: DENIED_COMMANDS, yolo: true, content: "absent" }).effect !== "allow",
  );
  const expected = everyday.filter(({ command }) =>
    /^(git push|rm) |^((ba)?sh|node|python3?|ruby) (?!-)|^\.\//.test(command),
  );
  assert.deepEqual(stopped, expected);
});

test("[P3] everyday commands are asked about once, and never again after “always”", () => {
  assert.ok(everyday.length >= 150, `${everyday.length} commands`);
  const again = everyday.filter((it) => {
    const { always } = judge(it, { rules: [] });
    return always === null || judge(it, { rules: [always] }).effect !== "allow";
  });
  assert.deepEqual(again, []);
});

test("[P3a] a wider pattern covers what a person would expect of it", () => {
  for (const { first, then } of data<Patterns>("everyday-patterns")) {
    const [pattern] = judge({ command: first, cwd: undefined }, { rules: [] }).wider;
    assert.ok(pattern, first);
    assert.match(pattern.also, /^Every “/);
    for (const command of then) {
      const verdict = judge({ command, cwd: undefined }, { rules: [pattern.rule] });
      assert.equal(verdict.effect, "allow", `${first} → ${command}`);
    }
  }
});

test("[P2d] a rule holds in the directory it was given for", () => {
  for (const { command } of everyday) {
    const { always } = judge({ command, cwd: "sub" }, { rules: [] });
    if (!always) continue;
    assert.equal(judge({ command, cwd: "sub" }, { rules: [always] }).effect, "allow", command);
    for (const cwd of [undefined, "sub/deeper", "other", "/tmp"]) {
      assert.equal(judge({ command, cwd }, { rules: [always] }).effect, "ask", command);
    }
  }
});

test("[P3c] a rule for a script holds for the content it was given for", () => {
  const scripts = everyday.filter(({ command, cwd }) => {
    const access = { kind: "execute", command, cwd, network: false } as const;
    return inspectCommand(access, "/w").executes.some((file) => /[./]/.test(file));
  });
  assert.ok(scripts.length >= 8, `${scripts.length} scripts`);
  for (const it of scripts) {
    const { always } = judge(it, { rules: [] });
    assert.ok(always, it.command);
    assert.equal(judge(it, { rules: [always], content: "h2" }).effect, "ask", it.command);
  }
  // The line itself may replace what it executes: contents before it say nothing.
  const replacing = data<Group[]>("hostile-commands").at(-1)?.commands ?? [];
  for (const command of replacing) {
    assert.equal(judge({ command, cwd: undefined }, { rules: [] }).always, null, command);
  }
});
