// The console's skills: its shapes, on the same folders as everywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openFixture } from "../../kernel/server/routes/test-support.ts";

type Emitted = Record<string, unknown> & {
  skill: Record<string, unknown>;
  error: { code: string; reason?: string };
};

async function openSkills() {
  const fixture = await openFixture({
    homeFiles: {
      sources: {
        fetch: async () => ({
          ok: true,
          data: {
            files: [{ path: "SKILL.md", data: Buffer.from("# Do\n"), executable: false }],
            folder: "",
            left_out: 0,
          },
        }),
      },
    },
  });
  const ask = async (...[method, path, body]: Parameters<typeof fixture.ask>) => {
    const reply = await fixture.ask(method, `/api/gui/skills${path}`, body);
    return { ...reply.body, http: reply.status } as Emitted & { http: number };
  };
  return { fixture, ask, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

test("[W4, M1] the console lists, writes and reads skills, and what is no hub says so", async () => {
  await using place = await openSkills();
  const { ask } = place;
  const created = await ask("POST", "/create", {
    name: "notes",
    content: "# Take notes\n\nWell.",
    category: "work",
  });
  assert.deepEqual([created.skill["description"], created["created"]], ["Take notes", true]);
  const list = await ask("GET", "?category=work");
  assert.deepEqual([list["count"], list["categories"]], [1, ["work"]]);
  const [listed] = list["skills"] as Record<string, unknown>[];
  assert.deepEqual([listed?.["source_type"], listed?.["trust_level"]], ["local", "local"]);
  assert.deepEqual((await ask("GET", "?category=play"))["skills"], []);
  const { skill } = await ask("GET", "/notes");
  assert.match(String(skill["content"]), /# Take notes/);
  assert.equal((await ask("GET", "/nothing")).error.code, "not_found");
  assert.equal((await ask("GET", "/..%2fx")).http, 400);
  assert.equal(
    (await ask("POST", "/create", { name: "notes", content: "x" })).error.code,
    "conflict",
  );
  assert.equal((await ask("POST", "/create", { name: "x" })).error.code, "invalid_content");
  for (const path of ["/hub/search?q=x", "/config"]) {
    const emitted = await ask("GET", path);
    assert.deepEqual([emitted.http, emitted["supported"]], [200, false], path);
  }
  assert.equal((await ask("POST", "/hub/install", { name: "x" }))["supported"], false);
});

test("[W4, M5] a session loads and unloads a skill", async () => {
  await using place = await openSkills();
  const { ask, fixture } = place;
  await fixture.journal.commands.createSession(
    { session_id: "s1" },
    { model: "demo/demo", workspace: "/w" },
  );
  await ask("POST", "/create", { name: "notes", content: "# Take notes" });
  const loaded = await ask("POST", "/notes/load", { session_id: "s1" });
  assert.deepEqual([loaded["loaded"], loaded["session_id"]], [true, "s1"]);
  const shown = await ask("GET", "/session/s1");
  assert.deepEqual(
    (shown["skills"] as { name: string }[]).map(({ name }) => name),
    ["notes"],
  );
  assert.equal((await ask("POST", "/nothing/load", { session_id: "s1" })).error.code, "not_found");
  assert.equal((await ask("POST", "/notes/load", {})).error.code, "invalid_session_id");
  assert.equal(
    (await ask("POST", "/notes/load", { session_id: "s2" })).error.reason,
    "session_not_found",
  );
  assert.equal((await ask("DELETE", "/session/s1/notes"))["unloaded"], true);
  assert.equal((await ask("GET", "/session/s1"))["count"], 0);
  assert.equal((await ask("GET", "/session/s2")).error.reason, "session_not_found");
});

test("[W4, M4] installing asks for a source, shows what is in it, and installs only that", async () => {
  await using place = await openSkills();
  const { ask, fixture } = place;
  assert.equal((await ask("POST", "/demo/install", {}))["reason"], "skill_source_needed");
  const source = { kind: "git", url: "https://example.org/x" };
  const seen = await ask("POST", "/demo/install", { source });
  const { hash } = seen["inspection"] as { hash: string };
  assert.deepEqual([seen["installed"], seen["status"]], [false, "inspected"]);
  const wrong = await ask("POST", "/demo/install", { source, hash: "0".repeat(64) });
  assert.deepEqual([wrong.http, wrong.error.code], [409, "skill_conflict"]);
  const done = await ask("POST", "/demo/install", { source, hash });
  assert.deepEqual([done["installed"], done.skill["trust_level"]], [true, "pinned"]);
  await fixture.home.put("default/skills/demo/SKILL.md", "# Otherwise\n");
  const [now] = (await ask("GET", ""))["skills"] as Record<string, unknown>[];
  assert.equal(now?.["trust_level"], "modified");
});
