import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Rule } from "../../events/catalogue/permissions.ts";
import { decide, type Question } from "./permissions.ts";
import type { Access } from "../tools/tool.ts";

const exec = (command: string, network = false): Access => ({ kind: "execute", command, network });
const reads = (path: string): Access => ({ kind: "read", path });
const writes = (path: string): Access => ({ kind: "write", path });
const fetches = (url: string): Access => ({ kind: "network", url });
const foreign = (schema: string): Access => ({ kind: "foreign", schema });

type Asked = Partial<Omit<Question, "tool">> & { tool?: string; risk?: Question["tool"]["risk"] };
const verdict = (accesses: readonly Access[], { tool = "exec", risk = "none", ...rest }: Asked) =>
  decide({
    tool: { name: tool, risk },
    accesses,
    workspace: "/w",
    rules: [],
    grantedSession: false,
    yolo: false,
    hidden: false,
    ...rest,
  });
const effect = (access: Access, rules: readonly Rule[] = [], asked: Asked = {}) =>
  verdict([access], { rules, ...asked }).effect;
const always = (access: Access, asked: Asked = {}) => verdict([access], asked).always;
const rule = (kind: Rule["effect"], about: Partial<Rule> = {}): Rule => ({
  effect: kind,
  tool: "exec",
  ...about,
});
const allowGit = rule("allow", { argv: ["git", "status"] });

test("[P1a, P1f, S] without rules files in the workspace are open, and everything else is asked about", () => {
  for (const path of ["a.txt", "./a/../b", "/w/x", "", ".", "/w", "/w/..x", "..x"]) {
    assert.equal(effect(reads(path)), "allow", path);
    assert.equal(effect(writes(path)), "allow", path);
  }
  for (const path of ["../x", "/etc/passwd", "a/../../w2", "/w2", "/", "..", "/w/../w2/x"]) {
    assert.equal(effect(reads(path)), "ask", path);
    assert.equal(effect(writes(path)), "ask", path);
  }
  assert.equal(effect(exec("ls")), "ask");
  assert.equal(effect(fetches("https://example.org/")), "ask");
  assert.equal(effect(foreign("h1")), "ask");
});

test("[S] a tool that says nothing of what it reaches for is taken at its risk, upwards only", () => {
  for (const risk of ["none", "read", "write"] as const) {
    assert.equal(verdict([], { risk }).effect, "allow");
  }
  assert.equal(verdict([], { risk: "execute" }).effect, "ask");
  assert.equal(verdict([], { risk: "network" }).effect, "ask");
  // Harmless by its own word, and yet it runs something.
  assert.equal(effect(exec("ls"), [], { risk: "none" }), "ask");
  assert.equal(verdict([], { risk: "execute", rules: [rule("allow")] }).effect, "allow");
  assert.equal(verdict([], { risk: "none", rules: [rule("deny")] }).effect, "deny");
});

test("[P2, S] a command is allowed word by word, and never by how its text begins", () => {
  const rules = [allowGit];
  for (const line of [
    "git status",
    "git  'status' -s",
    "git status && git status -s",
    "git status 2>&1",
  ]) {
    assert.equal(effect(exec(line), rules), "allow", line);
  }
  for (const line of [
    "git status; rm -rf /",
    "git status && rm -rf /",
    "git status\nrm -rf /",
    "git status | sh",
    "git statusx",
    "git",
    "git push",
    "./git status",
    "git status > /etc/passwd",
    "git status $(rm -rf /)",
    "git status `rm x`",
    "git status & rm x",
    "X=1 git status",
    "GIT status",
    "git status *",
    "git status # x",
    "git status\u200b",
    "git 'status",
  ]) {
    assert.equal(effect(exec(line), rules), "ask", line);
  }
});

test("[P2e, S] every command of a line needs a rule, whichever covers it", () => {
  const rules = [allowGit, rule("allow", { argv: ["npm", "test"] })];
  assert.equal(effect(exec("git status && npm test -- a"), rules), "allow");
  assert.equal(effect(exec("git status && npm test | tee x"), rules), "ask");
});

test("[P3b, S] shells, interpreters and wrappers are never allowed by how they begin", () => {
  const opaque = ["sudo ls", "python3 -c x", "xargs rm", "find . -exec ls", "git -c a=b status"];
  for (const line of [
    ...opaque,
    "eval ls",
    "npx x",
    "sh",
    "bash -lc ls",
    "env A=b ls",
    "perl -e x",
  ]) {
    const argv = line.split(" ");
    assert.equal(effect(exec(line), [rule("allow", { argv })]), "ask", line);
    assert.equal(effect(exec(line), [rule("allow", { argv: argv.slice(0, 1) })]), "ask", line);
    assert.equal(effect(exec(line), [rule("allow", { command: line })]), "ask", line);
    assert.equal(always(exec(line)), null, line);
    assert.equal(effect(exec(line), [rule("allow")]), "allow", "who allows all of it means it");
  }
  // What they run can be told: the rule is about that.
  for (const line of ["sh -c ls", "env ls", "timeout 5 ls", "/usr/bin/env ls", "nice -n 5 ls"]) {
    assert.equal(effect(exec(line), [rule("allow", { argv: ["ls"] })]), "allow", line);
    assert.equal(effect(exec(line), [rule("allow", { argv: line.split(" ") })]), "ask", line);
    assert.equal(effect(exec(line), [rule("deny", { argv: ["ls"] })]), "deny", line);
  }
});

test("[P1, S] deny wins over ask, ask over allow, in any order", () => {
  const all = [
    rule("allow"),
    rule("ask", { argv: ["git"] }),
    rule("deny", { argv: ["git", "push"] }),
  ];
  for (const rules of [all, all.toReversed()]) {
    assert.equal(effect(exec("git push"), rules), "deny");
    assert.equal(effect(exec("git status"), rules), "ask");
    assert.equal(effect(exec("ls"), rules), "allow");
    assert.equal(effect(exec("ls && git push -f"), rules), "deny", "one of them is enough");
    assert.equal(always(exec("git status"), { rules }), null, "no rule beats one that asks");
  }
});

test("[S] a denied command is denied however it is hidden", () => {
  const rules = [rule("allow", { tool: "*" }), rule("deny", { argv: ["rm"] })];
  for (const line of [
    "rm x",
    "/bin/rm x",
    "ls; rm x",
    "sudo rm x",
    "sh -c 'rm x'",
    "echo $(rm x)",
    "find . -exec rm x",
    "xargs rm",
    "r\\m x",
    'r"m" x',
    "if rm x; then ls; fi",
    "X=1 rm x",
    "rm x > y",
  ]) {
    assert.equal(effect(exec(line), rules), "deny", line);
  }
  assert.equal(effect(exec("echo rm"), rules), "allow", "a word is not a command");
  assert.equal(effect(exec("rmdir x"), rules), "allow");
});

test("[P6a, S] yolo and a yes for the session answer questions, and lift no prohibition", () => {
  assert.equal(effect(exec("ls $X"), [], { yolo: true }), "allow");
  assert.equal(effect(exec("ls $X"), [], { grantedSession: true }), "ask", "it may mean another");
  for (const asked of [{ yolo: true }, { grantedSession: true }]) {
    assert.equal(effect(exec("ls src"), [], asked), "allow");
    assert.equal(effect(reads("/etc/passwd"), [], asked), "allow");
    assert.equal(effect(exec("rm x"), [rule("deny", { argv: ["rm"] })], asked), "deny");
    assert.equal(effect(exec("ls"), [rule("ask")], asked), "allow");
    assert.equal(effect(reads("a"), [{ effect: "deny", tool: "*", path: "**" }], asked), "deny");
  }
});

test("[S] a command that asks for the network needs a rule that says so", () => {
  const without = rule("allow", { argv: ["npm", "ci"] });
  const withIt = { ...without, network: true };
  assert.equal(effect(exec("npm ci"), [without]), "allow");
  assert.equal(effect(exec("npm ci", true), [without]), "ask");
  assert.equal(effect(exec("npm ci", true), [withIt]), "allow");
  assert.equal(effect(exec("npm ci"), [withIt]), "allow");
  assert.equal(effect(exec("npm ci", true), [rule("allow")]), "ask");
  const offline = [rule("allow", { network: true }), rule("deny", { network: true })];
  assert.equal(effect(exec("ls", true), offline), "deny");
  assert.equal(effect(exec("ls"), offline), "allow");
});

test("[S] a path is matched as it is, not as it is spelled", () => {
  const docs: Rule = { effect: "deny", tool: "*", path: "docs/**" };
  for (const path of [
    "docs/a",
    "./docs/a/b",
    "x/../docs/a",
    "/w/docs/a",
    "docs",
    "DOCS/a",
    "docs//a",
  ]) {
    assert.equal(effect(writes(path), [docs]), "deny", path);
  }
  assert.equal(effect(writes("docs2/a"), [docs]), "allow");
  const secrets: Rule = { effect: "deny", tool: "*", path: "**/.env*" };
  for (const path of [".env", "a/.env", "a/b/.env.local", ".env/x"]) {
    assert.equal(effect(reads(path), [secrets]), "deny", path);
  }
  assert.equal(effect(reads("a/env"), [secrets]), "allow");
  assert.equal(effect(reads("secret/a"), [{ effect: "deny", tool: "*", path: "secret" }]), "deny");
  assert.equal(effect(reads("secret/a"), [{ effect: "deny", tool: "*", path: "secret/" }]), "deny");

  const shared: Rule = { effect: "allow", tool: "read", path: "/shared/*.md" };
  const of = (access: Access, tool: string) => effect(access, [shared], { tool });
  assert.equal(of(reads("/shared/a.md"), "read"), "allow");
  assert.equal(of(reads("../shared/a.md"), "read"), "allow");
  for (const path of ["/shared/b/a.md", "/shared/a.md/x", "/shared/a.md/../../etc/x", "/shared"]) {
    assert.equal(of(reads(path), "read"), "ask", path);
  }
  assert.equal(of(writes("/shared/a.md"), "write"), "ask", "another tool");
  const above: Rule = { effect: "allow", tool: "read", path: "../lib/?.js" };
  assert.equal(effect(reads("/lib/a.js"), [above], { tool: "read" }), "allow");
  const nowhere = { tool: "read", path: "/a/**/../b" };
  assert.equal(effect(reads("/a/b"), [{ effect: "allow", ...nowhere }], { tool: "read" }), "ask");
  assert.equal(effect(reads("x"), [{ effect: "deny", ...nowhere }], { tool: "read" }), "deny");
});

test("[S] a workspace whose name looks like a pattern is only itself", () => {
  const rules: Rule[] = [{ effect: "allow", tool: "read", path: "../shared" }];
  const asked = { workspace: "/a*/w[1]", tool: "read" };
  assert.equal(effect(reads("/a*/shared"), rules, asked), "allow");
  assert.equal(effect(reads("/ab/shared"), rules, asked), "ask");
});

test("[S, B2] a pattern made to be slow is not", () => {
  const path = `${"*a".repeat(200)}/${"**/".repeat(50)}x`;
  // Tried one way after the other it would not end while we are here.
  const judged = effect(reads(`/${"a".repeat(4_000)}/${"a/".repeat(1_000)}y`), [
    { effect: "allow", tool: "*", path },
  ]);
  assert.equal(judged, "ask");
});

test("[S] hosts are compared as hosts", () => {
  const web = (host: string): Rule[] => [{ effect: "allow", tool: "web_fetch", host }];
  const of = (url: string, host: string) => effect(fetches(url), web(host), { tool: "web_fetch" });
  assert.equal(of("https://Example.org:8443/x", "example.org"), "allow");
  assert.equal(of("https://example.org./", "example.org"), "allow");
  assert.equal(of("https://a.b.example.org/", "*.example.org"), "allow");
  for (const url of [
    "https://example.org.evil.com/",
    "https://example.org@evil.com/",
    "https://notexample.org/",
    "https://evil.com/example.org",
    "https://evil.com#example.org",
    "not a url",
    "file:///etc/passwd",
  ]) {
    assert.equal(of(url, "example.org"), "ask", url);
    assert.equal(of(url, "*.example.org"), "ask", url);
  }
  const evil: Rule[] = [{ effect: "deny", tool: "*", host: "*.evil.com" }];
  assert.equal(effect(fetches("http://x.evil.com"), evil, { yolo: true }), "deny");
  assert.equal(
    effect(fetches("http://["), evil, { yolo: true }),
    "deny",
    "who knows where that is",
  );
});

test("[R13a, S] a foreign tool is allowed as it was described, and asked about again when that changed", () => {
  const known: Rule = { effect: "allow", tool: "mcp_x", schema: "h1" };
  assert.equal(effect(foreign("h1"), [known], { tool: "mcp_x" }), "allow");
  assert.equal(effect(foreign("h2"), [known], { tool: "mcp_x" }), "ask");
  assert.equal(effect(foreign("h1"), [known], { tool: "mcp_y" }), "ask");
  assert.equal(effect(foreign("h1"), [{ effect: "allow", tool: "*" }], { tool: "mcp_x" }), "ask");
  assert.equal(
    effect(foreign("h9"), [{ effect: "deny", tool: "mcp_x" }], { tool: "mcp_x" }),
    "deny",
  );
});

test("[S] of several things a call reaches for the strictest counts", () => {
  const both = [reads("a"), exec("ls")];
  assert.equal(verdict(both, {}).effect, "ask");
  assert.deepEqual(verdict(both, {}).always, { effect: "allow", tool: "exec", command: "ls" });
  assert.equal(
    verdict([...both, reads("/etc/x")], {}).always,
    null,
    "one rule would not be enough",
  );
  assert.equal(verdict(both, { rules: [rule("deny", { path: "a" })] }).effect, "deny");
  assert.equal(verdict(both, { rules: [rule("allow", { argv: ["ls"] })] }).effect, "allow");
});

test("[P3, S] “always” offers the narrowest rule there is, or none", () => {
  for (const line of ["npm test -- 'a b'", "a; b", "a && b", "echo a > b", "ls src/*.ts"]) {
    assert.deepEqual(always(exec(line)), rule("allow", { command: line }), line);
  }
  const online = rule("allow", { command: "npm ci", network: true });
  assert.deepEqual(always(exec("npm ci", true)), online);
  for (const line of ["a $X", "a b", "sh x", "ls * ", "a".repeat(5_000)]) {
    assert.equal(always(exec(line)), null, line.slice(0, 20));
  }
  const read = { tool: "read" };
  assert.deepEqual(always(reads("../x"), read), { effect: "allow", tool: "read", path: "/x" });
  assert.equal(always(reads("/x*"), read), null, "it would be a pattern");
  const web = { effect: "allow", tool: "web", host: "a.org" };
  assert.deepEqual(always(fetches("https://a.org:1/x?y"), { tool: "web" }), web);
  assert.equal(always(fetches("nonsense"), { tool: "web" }), null);
  const mcp = { effect: "allow", tool: "mcp_x", schema: "h1" };
  assert.deepEqual(always(foreign("h1"), { tool: "mcp_x" }), mcp);
});

test("[S] the rule that is offered allows the call it was offered for, and none that begins otherwise", () => {
  const word = fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"));
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.boolean(), (argv, network) => {
      const access = exec(argv.map(quote).join(" "), network);
      const offered = always(access);
      if (offered === null) return;
      assert.equal(effect(access, [offered]), "allow");
      const other = exec(["other", ...argv].map(quote).join(" "), network);
      assert.equal(effect(other, [offered]), "ask");
      assert.equal(
        effect(exec(`${access.kind === "execute" ? access.command : ""}; rm`), [offered]),
        "ask",
      );
    }),
    { examples: [[[" ", "valueOf"], false]] }, // every object has one
  );
});

test("[S] adding a rule that denies never allows anything, adding one that allows never denies", () => {
  const effects = { allow: 0, ask: 1, deny: 2 };
  const argv = fc.array(fc.constantFrom("git", "rm", "status", "x"), {
    minLength: 1,
    maxLength: 2,
  });
  const about = fc.oneof(
    fc.record({ argv }),
    fc.record({ path: fc.constantFrom("**", "a", "/etc/*") }),
    fc.constant({}),
  );
  const rules = fc.array(
    fc
      .record({ kind: fc.constantFrom("allow", "ask", "deny"), about })
      .map((it) => rule(it.kind, it.about)),
  );
  const line = fc.array(fc.constantFrom("git", "rm", "status", "x", ";", "$X", "sh"), {
    minLength: 1,
  });
  const access = fc.oneof(
    line.map((words) => exec(words.join(" "))),
    fc.constantFrom(reads("a"), reads("/etc/x")),
  );
  fc.assert(
    fc.property(rules, access, about, (given, reached, more) => {
      const before = effects[effect(reached, given)];
      assert.ok(effects[effect(reached, [...given, rule("deny", more)])] >= before);
      assert.ok(effects[effect(reached, [rule("allow", more), ...given])] <= before);
    }),
  );
});

test("[P1f, S] git's own files are asked about: what is written there runs later, outside of any sandbox", () => {
  const write = (path: string) =>
    decide({
      tool: { name: "write", risk: "write" },
      accesses: [{ kind: "write", path }],
      workspace: "/w",
      rules: [],
      grantedSession: false,
      yolo: false,
      hidden: false,
    }).effect;
  for (const path of [".git/hooks/pre-commit", "sub/.git/config", "/w/.GIT/config"]) {
    assert.equal(write(path), "ask", path);
  }
  assert.equal(write(".gitignore"), "allow");
});
