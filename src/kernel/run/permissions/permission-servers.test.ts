// Rules that trust a server of foreign tools as a whole: what they cover, and what they never do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Rule } from "../../events/catalogue/permissions.ts";
import { decide } from "./permissions.ts";
import type { Access } from "../tools/tool.ts";

type Asked = { readonly tool: string; readonly rules?: readonly Rule[] };
const verdict = (accesses: readonly Access[], { tool, rules = [] }: Asked) =>
  decide({
    tool: { name: tool, risk: "none" },
    accesses,
    workspace: "/w",
    rules,
    grantedSession: false,
    yolo: false,
    hidden: false,
  });
const effect = (access: Access, rules: readonly Rule[], { tool }: Asked) =>
  verdict([access], { tool, rules }).effect;
const foreign = (schema: string): Access => ({ kind: "foreign", schema });
const OTHERS: readonly Access[] = [
  { kind: "execute", command: "ls", network: false },
  { kind: "network", url: "https://x.org/" },
  { kind: "write", path: "/etc/x" },
];

test("[P7, S] a server is trusted as a whole only by a rule that says so and names its program", () => {
  const server = '["npx","-y","fs"]';
  const call: Access = { kind: "foreign", schema: "h1", server: { name: "fs", program: server } };
  const about = (more: Partial<Rule> = {}): Rule[] => [
    { effect: "allow", tool: "mcp__fs__*", trust: "server", server, ...more },
  ];
  const asked = { tool: "mcp__fs__read" };
  assert.equal(effect(call, about(), asked), "allow");
  assert.equal(effect({ ...call, schema: "h2" }, about(), asked), "allow", "described otherwise");
  assert.match(verdict([call], { rules: about(), ...asked }).reason, /trusts.*whole server.*npx/);
  // Another program under that name, another name, no pin, or no word of trust: a person is asked.
  const other = { ...call, server: { name: "fs", program: '["sh"]' } };
  assert.equal(effect(other, about(), asked), "ask");
  assert.equal(effect(call, about(), { tool: "mcp__fsx__read" }), "ask");
  assert.equal(effect(foreign("h1"), about(), asked), "ask");
  const { server: _server, ...unpinned } = about()[0] as Rule;
  assert.equal(effect(call, [unpinned], asked), "ask");
  assert.equal(effect(foreign("h1"), [unpinned], asked), "ask");
  assert.equal(effect(call, [{ effect: "allow", tool: "mcp__fs__*" }], asked), "ask");
  // Rules that restrict win, and may name the server too.
  for (const tool of ["mcp__fs__*", "mcp__fs__read", "*"]) {
    assert.equal(effect(call, [...about(), { effect: "deny", tool }], asked), "deny", tool);
    assert.equal(effect(call, [...about(), { effect: "ask", tool }], asked), "ask", tool);
  }
  // Nothing but foreign tools is meant by it.
  for (const access of OTHERS) {
    assert.equal(effect(access, about(), asked), "ask");
  }
});

test("[P7b, P3] the whole server is offered as the wider rule, with what it would allow", () => {
  const program = '["npx","-y","fs"]';
  const call: Access = { kind: "foreign", schema: "h1", server: { name: "fs", program } };
  const { always: narrow, wider } = verdict([call], { tool: "mcp__fs__read" });
  assert.deepEqual(narrow, { effect: "allow", tool: "mcp__fs__read", schema: "h1" });
  const [offer] = wider;
  assert.deepEqual(offer?.rule, {
    effect: "allow",
    tool: "mcp__fs__*",
    trust: "server",
    server: program,
  });
  assert.match(offer?.also ?? "", /every tool/i);
  assert.equal(effect(call, [offer?.rule as Rule], { tool: "mcp__fs__write" }), "allow");
  const cut = verdict([call], { tool: "mcp__f_1234abcd" });
  assert.deepEqual(cut.wider, [], "a name that does not show its server is not covered by one");
});

test("[P7] a rule that trusts something else than a server is refused", () => {
  const trusts = { effect: "allow", tool: "mcp__fs__*", trust: "server" };
  assert.ok(Rule.safeParse(trusts).success);
  for (const wrong of [
    { effect: "deny" },
    { tool: "*" },
    { tool: "exec" },
    { schema: "h" },
    { trust: "tool" },
  ]) {
    assert.ok(!Rule.safeParse({ ...trusts, ...wrong }).success, JSON.stringify(wrong));
  }
  assert.ok(!Rule.safeParse({ effect: "allow", tool: "exec", server: "x" }).success);
});
