// The tools on a profile's own files and past, as a run calls them: on a real journal and real files.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryHome } from "../../home/test-support.ts";
import type { OpenTool } from "../../state/run/items.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { RunLog } from "../loop/run-log.ts";
import { createMemoryTool } from "../../../features/memory/runner/tool.ts";
import { createSessionSearchTool } from "./profile-tools.ts";
import { createSkillTool } from "../../../features/skills/runner/tool.ts";
import type { Tool, ToolContext } from "./tool.ts";

const MEMORY = "default/memory/MEMORY.md";
const no = () => assert.fail("no tool host is needed");

async function openRun(profile: string) {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(sqliteStore());
  const journal = await store.connect();
  const say = async (by: string, message: string) => {
    const wanted = { session_id: `of-${by}`, profile: by, message };
    await journal.commands.startRun(wanted, { model: "demo/demo", workspace: "/w" });
  };
  await say(profile, "begin");
  const claimant = { runnerId: "r", leaseMs: 600_000, lost: [], childrenOnly: false, volumes: [] };
  const claim = await journal.claimNext(claimant);
  assert.ok(claim);
  const { signal } = new AbortController();
  const log = stack.use(await RunLog.open(journal, claim, signal));
  const owned = stack.move();
  return {
    say,
    /** `attempt`: how often the call was begun before, by runners that died. */
    call(tool: Tool, input: unknown, attempt = 0) {
      const item = { callId: "c", attempt } as OpenTool; // what these tools look at
      const context: ToolContext = { log, item, host: no, claimedUntil: no, signal };
      return tool.execute(tool.input.parse(input), context);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test("memory: every action answers with how full the store is", async () => {
  await using home = await temporaryHome();
  await using run = await openRun("default");
  const tool = createMemoryTool(home.profile("default"));
  const add = { action: "add", target: "memory", text: "uses npm" };

  const added = await run.call(tool, add);
  const listed = await run.call(tool, { action: "list", target: "memory" });
  const replaced = await run.call(tool, { ...add, action: "replace", old: "npm", text: "pnpm" });
  const wrong = await run.call(tool, { action: "remove", target: "memory", old: "yarn" });
  const lacking = await run.call(tool, { action: "add", target: "memory" });

  const usage = { chars: 11, limit: 2_200, percent: 1, entries: 1 };
  assert.deepEqual(added, { ok: true, result: { ...usage, changed: true } });
  assert.deepEqual(listed, { ok: true, result: { ...usage, items: ["uses npm"] } });
  assert.equal(replaced.ok, true);
  assert.deepEqual([wrong.ok, wrong.error?.code], [false, "no_match"]);
  assert.ok(!wrong.error?.message.includes(home.path), "a model is not told where the home is");
  assert.equal(lacking.error?.code, "invalid_arguments");
  assert.equal(await readFile(home.at(MEMORY), "utf8"), "- pnpm\n");
});

test("[X3, R4] memory: what a runner that died had done is not done again", async () => {
  await using home = await temporaryHome();
  await using run = await openRun("default");
  const tool = createMemoryTool(home.profile("default"));
  const calls = [
    { action: "add", target: "memory", text: `first ${"x".repeat(1_500)}` },
    { action: "replace", target: "memory", old: "first", text: "second" },
    { action: "add", target: "memory", text: "third" },
    { action: "remove", target: "memory", old: "third" },
  ];
  for (const call of calls) {
    assert.equal((await run.call(tool, call)).ok, true);
    const before = await readFile(home.at(MEMORY), "utf8");
    const again = await run.call(tool, call, 1);
    assert.equal(again.ok, true, JSON.stringify(again));
    assert.equal(await readFile(home.at(MEMORY), "utf8"), before);
  }
  const begun = await run.call(tool, { action: "add", target: "memory", text: "not done yet" }, 1);
  assert.equal(begun.ok, true);
  assert.equal(await readFile(home.at(MEMORY), "utf8"), "- second\n- not done yet\n");
});

test("skill: list, view and save, and refusals a model can read", async () => {
  await using home = await temporaryHome();
  await using run = await openRun("default");
  const tool = createSkillTool(home.profile("default"));
  const save = { action: "save", name: "deploy", description: "How to deploy", content: "# Go" };

  assert.equal((await run.call(tool, save)).ok, true);
  assert.deepEqual((await run.call(tool, save, 1)).result, {
    name: "deploy",
    bytes: 56,
    created: false,
    changed: false,
  });
  const skills = [{ name: "deploy", description: "How to deploy", category: null, problem: null }];
  assert.deepEqual((await run.call(tool, { action: "list" })).result, { skills });
  const view = await run.call(tool, { action: "view", name: "deploy" });
  assert.match(view.output?.head ?? "", /# Go\n$/);
  const out = { action: "view", name: "deploy", path: "../../memory/MEMORY.md" };
  assert.equal((await run.call(tool, out)).error?.code, "outside");
  assert.equal((await run.call(tool, { action: "view" })).error?.code, "invalid_arguments");
});

test("[S] session_search finds what was said to the same profile, never to another", async () => {
  await using run = await openRun("coder");
  await run.say("coder", "the zeppelin lands at noon");
  await run.say("writer", "a zeppelin in a novel");
  const of = (name: string) => createSessionSearchTool({ name });
  const search = async (name: string, words: string) => {
    const { result } = await run.call(of(name), { words });
    return (result as { hits: { session_id: string; snippet: string }[] }).hits;
  };

  const hits = await search("coder", "noon zeppelin");
  assert.deepEqual(
    hits.map(({ session_id }) => session_id),
    ["of-coder"],
  );
  assert.match(hits[0]?.snippet ?? "", /zeppelin/);
  assert.deepEqual(
    (await search("writer", "zeppelin")).map(({ session_id }) => session_id),
    ["of-writer"],
  );
  assert.deepEqual(await search("default", "zeppelin"), []);
  assert.deepEqual(await search("coder", 'novel" OR "zeppelin'), []);
});
