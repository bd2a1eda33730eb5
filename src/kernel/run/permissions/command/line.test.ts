import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { parseCommandLine, possibleWords, type Command } from "./line.ts";
import { running } from "../programs.ts";

const commandsOf = (line: string): readonly Command[] => {
  const parsed = parseCommandLine(line);
  assert.equal(parsed.kind, "argv", `${line}: ${parsed.kind === "opaque" ? parsed.why : ""}`);
  return parsed.kind === "argv" ? parsed.commands : [];
};
const isOpaque = (line: string) => parseCommandLine(line).kind === "opaque";

test("[S] what a person can read off a command is known: each simple command, word by word", () => {
  assert.deepEqual(commandsOf("git status"), [["git", "status"]]);
  assert.deepEqual(commandsOf("git status; rm -rf /"), [
    ["git", "status"],
    ["rm", "-rf", "/"],
  ]);
  assert.deepEqual(commandsOf("a && b || c | d\n\ne;"), [["a"], ["b"], ["c"], ["d"], ["e"]]);
  assert.deepEqual(commandsOf(`git commit -m "it's \\"so\\"" 'a b' c\\ d`), [
    ["git", "commit", "-m", `it's "so"`, "a b", "c d"],
  ]);
  assert.deepEqual(commandsOf("npm test 2>&1 >/dev/null | head -5"), [
    ["npm", "test"],
    ["head", "-5"],
  ]);
  assert.deepEqual(commandsOf('grep "\\d\\$\\\\" f'), [["grep", "\\d$\\", "f"]]);
  assert.deepEqual(commandsOf("npm run \\\n  build"), [["npm", "run", "build"]]);
  assert.deepEqual(commandsOf("git show HEAD~1 HEAD^ a#b x=1"), [
    ["git", "show", "HEAD~1", "HEAD^", "a#b", "x=1"],
  ]);
});

test("[S] whatever needs a shell to be understood is opaque", () => {
  const opaque = [
    ["echo $HOME", "echo ${A}", "echo `id`", 'echo "$(id)"', "(a)", "a(b)", "a $'x'", 'a $"x"'],
    ["a>f", "a >$F", "a > *", "a <(b)", "a >(b)", "a <<E\nx\nE", "a &>/dev/null"],
    ["a2>&1", "2>&1 a", "a >&3", "a &", "a & b", "a |& b", "a ;; b"],
    ["ls *", "ls ?", "ls [a]", "ls {a,b}", "ls ~", "ls ~/x", "x a=~", "x a:~"],
    [
      "X=1 cmd",
      "X=1",
      "LD_PRELOAD=x a",
      "PATH=/tmp:x git status",
      "a[0]=1",
      "! a",
      "a && ! b",
      "# a",
      "a # b",
    ],
    ["if a; then b; fi", "for x in a; do b; done", "while a; do b; done", "{ a; }", "time a"],
    ["function f", "[[ a ]]", "[ a ]", "case a in esac", "until a; do b; done"],
    ["a 'b", 'a "b', "a \\", 'a "\\"', "a &&", "a |", "a ||\n", "; a", "a\n&& b", "a\n; b"],
    ["", "  ", "\n", "a \0b", "a\rb", "a\u200bb", "a 'x\u202ey'", "a\u00a0b", "a 'x\u2028'"],
    ["a '\ud800'", "caf\u00e9", "a \\\u00e9", "-c id", "+x", "a '\u001b[2K'", "a '\ufe0f'"],
  ].flat();
  assert.deepEqual(
    opaque.filter((line) => !isOpaque(line)),
    [],
  );
});

test("[S] redirections, patterns and harmless variables are understood, and no pattern of a rule covers them", () => {
  const isKnown = (line: string) => {
    const parsed = parseCommandLine(line);
    return parsed.kind === "argv" && !parsed.literal;
  };
  for (const line of ["a > f", "a >>f", "a < f", "a 2> f", "ls src/*.ts", "CI=1 a", "TZ=UTC a b"]) {
    assert.ok(isKnown(line), line);
  }
  const parsed = parseCommandLine("a > 'o ut' < in b");
  assert.deepEqual(parsed.kind === "argv" && [parsed.redirects, parsed.commands], [
    ["o ut", "in"],
    [["a", "b"]],
  ]);
});

/** The way to write any word for a shell that the parser did not have a hand in. */
const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
const readable = (text: string) => !isOpaque(`a ${quote(text)}`);
const words = fc
  .oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string())
  .filter((word) => !word.includes("\0") && readable(word));

test("[S] words quoted by anyone's quoter come back as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.array(words, { minLength: 1 }), { minLength: 1 }), (commands) => {
      const lines = commands.map((command) => command.map(quote).join(" "));
      for (const joint of [" && ", "||", " ; ", " | ", "\n", " \\\n && \n"]) {
        assert.deepEqual(commandsOf(lines.join(joint)), commands);
      }
    }),
  );
});

test("[S] no line at all makes the parser throw, and every command has a name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (line) => {
      const parsed = parseCommandLine(line);
      if (parsed.kind === "opaque") assert.notEqual(parsed.why, "");
      else assert.ok(parsed.commands.every(({ length }) => length > 0));
    }),
  );
});

const directory = mkdtempSync(join(tmpdir(), "qd-sh-"));
after(() => rmSync(directory, { recursive: true, force: true }));
writeFileSync(join(directory, "p"), `#!/bin/sh\nprintf '%s\\0' "$#" "$@" >&3\n`, { mode: 0o755 });

/** What a real shell makes of a line: the arguments of every `p` in it. */
function run(shell: string, line: string): { calls: string[]; syntaxError: boolean } {
  const { output, stderr } = spawnSync(shell, ["-c", line], {
    cwd: directory,
    env: { PATH: directory, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const fields = String(output[3]).split("\0").slice(0, -1);
  const calls: string[] = [];
  while (fields.length > 0) {
    calls.push(JSON.stringify(fields.splice(0, Number(fields.shift()))));
  }
  return { calls: calls.toSorted(), syntaxError: /syntax error/i.test(String(stderr)) };
}

const fragment = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(" ", " ", " p ", "a", "b", "'a b'", '"a b"', "p") },
  {
    weight: 6,
    arbitrary: fc.constantFrom("; p ", " && p ", " || p ", " | p ", "\np ", "\n", ";", "&&", "|"),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "'",
      '"',
      "\\",
      "\\\n",
      "\\'",
      '\\"',
      "\\\\",
      "''",
      '""',
      "\t",
      "'\n'",
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "=",
      "~",
      "#",
      "!",
      "^",
      "-",
      "+",
      "%",
      "@",
      ",",
      ":",
      ".",
      "]",
      "~1",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(" 2>&1 ", " >/dev/null ", "2>&1", " >&2", " 2> /dev/null", "&", ">"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "$",
      "`",
      "*",
      "?",
      "[",
      "{a,b}",
      "{",
      "}",
      "(",
      ")",
      "'$'",
      "\\$",
      "'*'",
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '"$x"',
      '"\\$"',
      '"a\\b"',
      '"\\\\"',
      "; a=b p ",
      "\na= p x",
      '"\\\n"',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom("if ", "then ", " in ", "do ", "fi", "é", "'é'", "'~'") },
);
const lines = fc.array(fragment, { maxLength: 12 }).map((parts) => `p ${parts.join("")}`);
const isLiteral = (line: string) => {
  const parsed = parseCommandLine(line);
  return parsed.kind === "argv" && parsed.literal;
};
const runsOther = (command: Command) =>
  !["plain", "project", "inert"].includes(running(command).kind) && command[0] !== "p";
const shells = ["/bin/sh", "/bin/bash"].filter((shell) => existsSync(shell));

test("[P2, S] where the parser knows a command, a real shell sees the very same words", () => {
  let known = 0;
  fc.assert(
    fc.property(
      lines.filter(
        (line) => !isOpaque(line) && isLiteral(line) && !commandsOf(line).some(runsOther),
      ), // `. p` runs p
      fc.constantFrom(...shells),
      (line, shell) => {
        known += 1;
        const expected = commandsOf(line)
          .filter(([name]) => name === "p")
          .map(([, ...args]) => JSON.stringify(args))
          .toSorted();
        const seen = run(shell, line);
        assert.equal(seen.syntaxError, false, JSON.stringify(line));
        // Which of `a && b || c` run is up to them; what runs is in the list.
        if (!/[|&]/.test(line)) assert.deepEqual(seen.calls, expected, JSON.stringify(line));
        for (const call of seen.calls) {
          assert.ok(expected.includes(call), `${JSON.stringify(line)} runs p ${call}`);
        }
      },
    ),
    { numRuns: 500 },
  );
  assert.ok(known >= 500);
});

test("[S] what might be a command in an opaque line is found, however it is spelled", () => {
  const spellings = [
    [
      "rm -rf /",
      "$(rm x)",
      "`rm x`",
      "a;rm x",
      "a&&rm",
      "(rm)",
      "x=1 rm y",
      'r"m" x',
      "r\\m",
      "r''m",
    ],
    [
      "/bin/rm x",
      "sh -c 'rm x'",
      'sh -c"rm x"',
      "a |rm",
      "{ rm; }",
      "if rm; then a; fi",
      "! rm",
      "r\\\nm",
    ],
    ["xargs -I{} rm {}", "a\nrm", "sudo rm", "$'rm' x"],
  ].flat();
  assert.deepEqual(
    spellings.filter((line) => !possibleWords(line).has("rm")),
    [],
  );
  assert.equal(possibleWords("echo alarm rmdir").has("rm"), false);
});
