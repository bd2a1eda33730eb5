import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { UpdateGoal } from "../../../kernel/events/commands.ts";
import { SLASH_ACTIONS, type SlashDeps } from "./actions.ts";
import { completeSlash } from "./complete.ts";
import { SLASH, SLASH_NAMES } from "../../../kernel/text/slash-commands.ts";
import { parseSlash } from "../../../kernel/text/parse-slash.ts";

const offers = { models: ["demo/demo", "openai/gpt-6", "x/openai"], profiles: ["default"] };
const labels = (text: string) => completeSlash(text, offers)?.options.map(({ label }) => label);

test("[UX] only a bare word after the first slash is a command", () => {
  const words = ["hello", "/etc/hosts is wrong", "/ stop", "//stop", "say /stop", "/2", "/a.b", ""];
  for (const text of words) assert.deepEqual(parseSlash(text), { kind: "message" }, text);
  assert.deepEqual(parseSlash("/deploy now"), { kind: "unknown", word: "deploy" });
  assert.deepEqual(parseSlash("/constructor"), { kind: "unknown", word: "constructor" });
});

test("[UX] a command has what it needs, or says what is missing", () => {
  assert.deepEqual(parseSlash(" /STOP "), { kind: "command", name: "stop", argument: "" });
  assert.deepEqual(parseSlash("/goal ship it\nand test"), {
    kind: "command",
    name: "goal",
    argument: "ship it\nand test",
  });
  assert.deepEqual(parseSlash("/yolo ON"), { kind: "command", name: "yolo", argument: "on" });
  assert.deepEqual(parseSlash("/compress"), { kind: "command", name: "compress", argument: "" });
  const problem = (text: string) => {
    const parsed = parseSlash(text);
    return parsed.kind === "wrong" ? parsed.problem : parsed.kind;
  };
  assert.equal(problem("/stop it"), "/stop takes nothing behind it.");
  assert.equal(problem("/steer  "), "/steer needs <message>.");
  assert.equal(problem("/yolo maybe"), "/yolo takes on | off.");
});

test("[C20] the page understands a goal as the other windows do", async () => {
  const asked = async (argument: string, goal: object | null) => {
    const requests: object[] = [];
    const updateGoal = async (_session: string, { command_id: _id, ...request }: UpdateGoal) => {
      requests.push(request);
    };
    const view = () => ({ session: { goal } });
    const deps = { api: { updateGoal }, sessionId: "s1", view } as unknown as SlashDeps;
    const result = SLASH_ACTIONS.goal(argument, deps);
    if ("deliver" in result) await result.deliver("id");
    return requests[0] ?? result;
  };
  const goal = { text: "ship it", status: "active" };
  assert.deepEqual(await asked("ship it", null), { action: "set", text: "ship it" });
  assert.deepEqual(await asked("set ship it", null), { action: "set", text: "ship it" });
  assert.deepEqual(await asked("test it", goal), { action: "edit", text: "test it" });
  assert.deepEqual(await asked("edit test it", null), { action: "edit", text: "test it" });
  for (const word of ["clear", "Stop", "done"]) {
    assert.deepEqual(await asked(word, goal), { action: "clear" }, word);
  }
  assert.deepEqual(await asked("pause", goal), { action: "pause" });
  assert.deepEqual(await asked("status", goal), { done: "Goal: ship it" });
  assert.deepEqual(await asked("", null), { done: "No goal is set." });
});

test("[UX] every command is reached by its name, and what the table demands the parser demands", () => {
  for (const name of SLASH_NAMES) {
    const { argument, words } = SLASH[name];
    const bare = parseSlash(`/${name}`).kind;
    assert.equal(bare, argument === "required" ? "wrong" : "command", name);
    const full = parseSlash(`/${name} ${words?.[0] ?? "x"}`).kind;
    assert.equal(full, argument === "none" ? "wrong" : "command", name);
    assert.equal(labels(`/${name}`)?.[0], `/${name}`);
  }
});

test("[UX] what is offered fits what was typed, and stops being offered when it is said", () => {
  assert.equal(labels("/")?.length, SLASH_NAMES.length);
  assert.deepEqual(labels("/re"), ["/retry", "/rewind"]);
  assert.deepEqual(labels("/sum"), ["/compress"], "also by what it does");
  assert.equal(labels("/zz"), undefined);
  assert.equal(labels("hello /"), undefined);
  assert.deepEqual(labels("/model "), offers.models);
  assert.deepEqual(labels("/model open"), ["openai/gpt-6", "x/openai"]);
  assert.equal(labels("/model demo/demo"), undefined);
  assert.deepEqual(labels("/goal p"), ["pause"]);
  assert.equal(labels("/goal pass all tests"), undefined);
  assert.equal(labels("/title p"), undefined);
});

test("[UX] choosing a complete option always makes a command", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (text) => {
      for (const option of completeSlash(`/${text}`, offers)?.options ?? []) {
        if (option.complete) assert.equal(parseSlash(option.text).kind, "command", option.text);
        else assert.equal(parseSlash(`${option.text}x`).kind === "message", false);
      }
    }),
  );
});
