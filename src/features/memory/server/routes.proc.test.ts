// Memory over HTTP: the native API and the console's, every refusal, and what is noted of whom.
import assert from "node:assert/strict";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { after, test } from "node:test";
import { stopPeers } from "../../../../test/support/peer.ts";
import { openAuditedMemory } from "../home/audited-memory.ts";
import type { ChangedMemory, ProfileMemory } from "../records.ts";
import { openFixture } from "../../../kernel/server/routes/test-support.ts";

after(stopPeers);

const URL = "/api/profiles/default/memory";
const FILE = "default/memory/MEMORY.md";

test("[M1, H1] entries are read, added, replaced and removed; each change says by whom", async () => {
  await using fixture = await openFixture();
  const empty = (await fixture.get<ProfileMemory>(URL)).data;
  assert.deepEqual(empty.entries, []);
  assert.deepEqual([empty.usage.limit, empty.hash, empty.last], [2_200, "", null]);
  assert.equal((await fixture.get<ProfileMemory>(`${URL}?target=user`)).data.usage.limit, 1_375);
  assert.deepEqual(await fixture.noted(), [], "looking at nothing notes nothing");

  const add = { target: "memory", text: "uses npm" };
  const added = (await fixture.post<ChangedMemory>(`${URL}/add`, add)).data;
  assert.deepEqual([added.changed, added.memory.entries], [true, ["uses npm"]]);
  assert.equal((await fixture.post<ChangedMemory>(`${URL}/add`, add)).data.changed, false);
  const other = { target: "memory", old: "uses npm", text: "uses pnpm" };
  const replaced = (await fixture.post<ChangedMemory>(`${URL}/replace`, other)).data;
  assert.deepEqual([replaced.was, replaced.memory.entries], ["uses npm", ["uses pnpm"]]);
  assert.equal(await readFile(fixture.home.at(FILE), "utf8"), "- uses pnpm\n");
  const gone = { target: "memory", old: "uses pnpm" };
  const removed = (await fixture.post<ChangedMemory>(`${URL}/remove`, gone)).data;
  assert.deepEqual([removed.was, removed.memory.usage.chars], ["uses pnpm", 0]);
  assert.deepEqual([removed.memory.last?.by, removed.memory.last?.action], ["person", "removed"]);

  const noted = await fixture.noted();
  assert.deepEqual(
    noted.map(({ type, payload }) => [type, payload.by, "action" in payload && payload.action]),
    [
      ["memory.changed", "person", "added"],
      ["memory.changed", "person", "replaced"],
      ["memory.changed", "person", "removed"],
    ],
  );
  assert.ok(!JSON.stringify(noted).includes("npm"), "no content stands in the audit");
});

test("[M2a] an edit by hand is noted once, by whoever reads the file first, also of several at once", async () => {
  await using fixture = await openFixture();
  await fixture.post(`${URL}/add`, { target: "memory", text: "one" });
  await writeFile(fixture.home.at(FILE), "- one\n- by hand\n");
  const other = await fixture.store.connect();
  const agent = openAuditedMemory(fixture.home.profile("default"), {
    notes: other.homeFiles,
    by: "run r1",
  });
  const reads = Array.from({ length: 6 }, (_, index) =>
    index % 2 === 0 ? fixture.get(URL) : agent.read("memory"),
  );
  await Promise.all(reads);
  const actions = (await fixture.noted()).map(({ payload }) => payload.by);
  assert.deepEqual(actions, ["person", "hand"]);
  assert.equal((await fixture.get<ProfileMemory>(URL)).data.last?.by, "hand");

  // Found while something else is changed: first the hand, then the change on top of it.
  await writeFile(fixture.home.at(FILE), "- one\n");
  await agent.add("memory", "two");
  const all = (await fixture.noted()).map(({ payload }) => payload.by);
  assert.deepEqual(all, ["person", "hand", "hand", "run r1"]);
  const { data } = await fixture.get<ProfileMemory>(URL);
  assert.deepEqual([data.entries, data.last?.by], [["one", "two"], "run r1"]);
});

test("[M3a] what somebody else changed meanwhile is a conflict, never lost", async () => {
  await using fixture = await openFixture();
  await fixture.post(`${URL}/add`, { target: "memory", text: "likes tea" });
  await writeFile(fixture.home.at(FILE), "- likes tea and coffee\n");
  const change = { target: "memory", old: "likes tea", text: "likes water" };
  const refused = await fixture.post(`${URL}/replace`, change);
  assert.deepEqual([refused.status, refused.error.code], [409, "conflict"]);
  assert.equal(refused.error.details.reason, "no_match");
  const { old } = change;
  assert.equal((await fixture.post(`${URL}/remove`, { target: "memory", old })).status, 409);
  assert.equal(await readFile(fixture.home.at(FILE), "utf8"), "- likes tea and coffee\n");

  const many = Array.from({ length: 20 }, (_, index) =>
    fixture.post(`${URL}/add`, { target: "memory", text: `entry ${index}` }),
  );
  for (const reply of await Promise.all(many)) assert.equal(reply.status, 200);
  assert.equal((await fixture.get<ProfileMemory>(URL)).data.entries.length, 21);
});

test("[H1, S] what does not fit is refused with a reason, and nothing is written", async () => {
  await using fixture = await openFixture();
  const cases: [string, unknown, number, string][] = [
    [`${URL}/add`, { target: "memory" }, 400, "invalid_request"],
    [`${URL}/add`, { target: "other", text: "x" }, 400, "invalid_request"],
    [`${URL}/add`, { target: "memory", text: "\u200b \n" }, 400, "invalid_request"],
    [`${URL}/add`, { target: "memory", text: "x".repeat(4_001) }, 400, "invalid_request"],
    [`${URL}/add`, { target: "memory", text: "x".repeat(2_201) }, 413, "too_large"],
    [`${URL}/add`, { target: "memory", text: "x", more: 1 }, 400, "invalid_request"],
    [`${URL}/replace`, { target: "memory", old: "x", text: "y" }, 409, "conflict"],
    [`${URL}/remove`, { target: "memory", old: " " }, 409, "conflict"],
    ["/api/profiles/nobody/memory/add", { target: "memory", text: "x" }, 404, "not_found"],
    [
      "/api/profiles/..%2f..%2fetc/memory/add",
      { target: "user", text: "x" },
      400,
      "invalid_request",
    ],
  ];
  for (const [url, body, status, code] of cases) {
    const reply = await fixture.post(url, body);
    assert.deepEqual([reply.status, reply.error.code], [status, code], JSON.stringify(body));
  }
  assert.equal((await fixture.get(`${URL}?target=all`)).status, 400);
  await fixture.home.put("default/memory/elsewhere.md", "- secret\n");
  await symlink(fixture.home.at("default/memory/elsewhere.md"), fixture.home.at(FILE));
  const linked = await fixture.get(URL);
  assert.deepEqual([linked.status, linked.error.details.reason], [403, "not_plain"]);
  assert.ok(!linked.error.message.includes(fixture.home.path), "nobody is told where the home is");
});

type Emitted = { memory: Console; user_profile: Console; error: { code: string } };
type Console = { entries: string[]; entry_count: number; usage: object; target: string };

test("[W4, M1] the console reads and changes the same entries, by method and by action", async () => {
  await using fixture = await openFixture();
  const gui = "/api/gui/memory";
  const emitted = async (...[method, url, body]: Parameters<typeof fixture.ask>) => {
    const reply = await fixture.ask(method, url, body);
    return { ...(reply.body as unknown as Emitted), status: reply.status };
  };
  const content = "User prefers concise answers.";
  const added = await emitted("POST", gui, { target: "memory", action: "add", content });
  assert.deepEqual([added.memory.entries, added.memory.entry_count], [[content], 1]);
  const usage = { text: "1% — 32/2200 chars", percent: 1, current_chars: 32, char_limit: 2_200 };
  assert.deepEqual((await emitted("GET", `${gui}?target=memory`)).memory.usage, usage);
  const changed = await emitted("PATCH", gui, { content: "Be brief.", old_text: content });
  assert.deepEqual(changed.memory.entries, ["Be brief."]);
  const again = { action: "replace", content: "Be short.", old_text: "Be brief." };
  assert.deepEqual((await emitted("POST", gui, again)).memory.entries, ["Be short."]);
  const gone = await emitted("DELETE", `${gui}?old_text=${encodeURIComponent("Be short.")}`);
  assert.deepEqual(gone.memory.entries, []);
  await emitted("POST", gui, { content: "x" });
  assert.deepEqual((await emitted("DELETE", gui, { old_text: "x" })).memory.entries, []);

  await emitted("POST", "/api/gui/user-profile", { content: "Is called Ann." });
  const user = (await emitted("GET", "/api/gui/user-profile")).user_profile;
  assert.deepEqual([user.target, user.entries], ["user", ["Is called Ann."]]);
  assert.deepEqual((await emitted("GET", `${gui}?target=user`)).memory.entries, ["Is called Ann."]);
  assert.ok((await fixture.noted()).every(({ payload }) => payload.by === "console"));

  const refusals: [unknown, number, string][] = [
    [{ action: "add" }, 400, "invalid_content"],
    [{ action: "replace", content: "y" }, 400, "invalid_old_text"],
    [{ action: "remove", old_text: "nothing" }, 409, "memory_conflict"],
    [{ content: "x".repeat(2_300) }, 413, "memory_full"],
    [{ action: "eat", content: "x" }, 400, "invalid_request"],
    ["{", 400, "invalid_json"],
  ];
  for (const [body, status, code] of refusals) {
    const refused = await emitted("POST", gui, body);
    assert.deepEqual([refused.status, refused.error.code], [status, code], JSON.stringify(body));
  }
});
