import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { link, lstat, mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openProfiles } from "./profiles.ts";
import { refusedWith, temporaryHome } from "./test-support.ts";

test("the default profile is there without any file", async () => {
  await using home = await temporaryHome();
  const profiles = openProfiles(home.path);
  assert.deepEqual(await profiles.list(), ["default"]);
  assert.deepEqual(await profiles.get("default"), {
    name: "default",
    directory: home.at("default"),
    model: null,
    prompt: null,
    tools: null,
    permissions: [],
    budget: null,
    approvalExpiresS: null,
    mcp: {},
  });
  assert.deepEqual(await readdir(home.path), [], "and asking makes none");
});

test("a profile is what its files say", async () => {
  await using home = await temporaryHome();
  await home.put(
    "coder/profile.json",
    JSON.stringify({
      model: "openai/gpt",
      tools: ["read", "exec"],
      permissions: [{ effect: "allow", tool: "exec", argv: ["git", "status"] }],
      budget: { tokens: 5_000 },
      approval_expires_s: 60,
      mcp: {
        files: { transport: "stdio", command: "server" },
        web: { transport: "http", url: "https://example.org/mcp" },
      },
    }),
  );
  await home.put("coder/prompt.md", "You write code.\n");

  const profile = await openProfiles(home.path).get("coder");

  assert.equal(profile.model, "openai/gpt");
  assert.equal(profile.prompt, "You write code.");
  assert.deepEqual(profile.tools, ["read", "exec"]);
  assert.deepEqual(profile.permissions, [
    { effect: "allow", tool: "exec", argv: ["git", "status"] },
  ]);
  assert.deepEqual(profile.budget, {
    tokens: 5_000,
    cost_usd: null,
    wall_s: null,
    tool_calls: null,
  });
  assert.equal(profile.approvalExpiresS, 60);
  assert.deepEqual(profile.mcp, {
    files: {
      transport: "stdio",
      command: "server",
      args: [],
      env: {},
      network: false,
      startup_timeout_s: 60,
    },
    web: { transport: "http", url: "https://example.org/mcp", headers: {}, startup_timeout_s: 10 },
  });
});

test("[P7a] a profile's rule that trusts a server means the server as that file names it", async () => {
  await using home = await temporaryHome();
  const trust = (tool: string, more = {}) => ({ effect: "allow", tool, trust: "server", ...more });
  const permissions = [
    trust("mcp__files__*"),
    trust("mcp__web__*"),
    trust("mcp__none__*"),
    trust("mcp__files__*", { server: "other" }),
  ];
  const mcp = {
    files: { transport: "stdio", command: "npx", args: ["-y", "files"] },
    web: { transport: "http", url: "https://example.org/mcp" },
  };
  await home.put("coder/profile.json", JSON.stringify({ permissions, mcp }));
  const { permissions: rules } = await openProfiles(home.path).get("coder");
  assert.deepEqual(
    rules.map(({ server }) => server),
    ['["npx","-y","files"]', "https://example.org/mcp", undefined, "other"],
  );
});

test("an edit counts from the next use on; what did not change is the same object", async () => {
  await using home = await temporaryHome();
  const profiles = openProfiles(home.path);
  await home.put("coder/profile.json", '{"model":"a/b"}');
  const first = await profiles.get("coder");
  assert.equal(await profiles.get("coder"), first);

  await home.put("coder/profile.json", '{"model":"a/c"}');
  assert.equal((await profiles.get("coder")).model, "a/c");
  await writeFile(home.at("coder/new"), '{"model":"a/d"}');
  await rename(home.at("coder/new"), home.at("coder/profile.json")); // as editors save
  assert.equal((await profiles.get("coder")).model, "a/d");
  await home.put("coder/prompt.md", "Hello");
  assert.equal((await profiles.get("coder")).prompt, "Hello");
});

const BROKEN: readonly [string, string, RegExp][] = [
  ["not JSON", '{"model": ', /profile\.json: not JSON/],
  ["not an object", "[]", /profile\.json: /],
  ["a misspelt key", '{"permission": []}', /profile\.json: .*permission/],
  ["a rule with a misspelt key", '{"permissions":[{"effect":"deny","tool":"*","pth":"x"}]}', /pth/],
  ["a wrong value", '{"budget":{"tokens":-1}}', /“budget\.tokens”/],
  ["a server without a transport", '{"mcp":{"a":{"command":"x"}}}', /“mcp\.a/],
  ["a server named like a path", '{"mcp":{"../a":{"transport":"stdio","command":"x"}}}', /mcp/],
  ["a URL of another kind", '{"mcp":{"a":{"transport":"http","url":"file:///x"}}}', /“mcp\.a\.url/],
];
for (const [what, text, about] of BROKEN) {
  test(`a broken profile.json is an error that says what is wrong: ${what}`, async () => {
    await using home = await temporaryHome();
    await home.put("default/profile.json", text);
    const profiles = openProfiles(home.path);
    await assert.rejects(profiles.get("default"), refusedWith("broken", about));
    await assert.rejects(profiles.get("default"), refusedWith("broken", about), "every time");
    assert.deepEqual(await profiles.list(), ["default"]);
    await home.put("default/profile.json", "{}");
    assert.equal((await profiles.get("default")).model, null, "until it is put right");
  });
}

test("files that cannot be text of a reasonable size are errors", async () => {
  await using home = await temporaryHome();
  const profiles = openProfiles(home.path);
  await home.put("a/prompt.md", Buffer.from([0xff, 0xfe, 0xfd]));
  await assert.rejects(profiles.get("a"), refusedWith("not_text", /prompt\.md/));
  await home.put("b/prompt.md", "x".repeat(70_000));
  await assert.rejects(profiles.get("b"), refusedWith("too_large", /prompt\.md/));
  await mkdir(home.at("c/profile.json"), { recursive: true });
  await assert.rejects(profiles.get("c"), refusedWith("not_plain", /profile\.json/));
  await mkdir(home.at("d"));
  execFileSync("mkfifo", [home.at("d/prompt.md")]);
  await assert.rejects(profiles.get("d"), refusedWith("not_plain", /prompt\.md/));
});

test("[S] names that are not names never become paths", async () => {
  await using home = await temporaryHome();
  await home.put("coder/prompt.md", "x");
  await writeFile(join(home.path, "prompt.md"), "outside");
  const profiles = openProfiles(home.path);
  const paths = ["", ".", "..", "../coder", "a/b", "a\\b", "coder/", "coder\n", "a\0"];
  for (const name of [...paths, "A", "a.b", "-a", "a b", "ä", "x".repeat(65), "__proto__"]) {
    await assert.rejects(profiles.get(name), refusedWith("invalid_name"), JSON.stringify(name));
    await assert.rejects(profiles.create(name), refusedWith("invalid_name"), JSON.stringify(name));
  }
  await assert.rejects(profiles.get("nobody"), refusedWith("unknown_profile", /nobody/));
  await assert.rejects(profiles.get("constructor"), refusedWith("unknown_profile"));
});

test("[R15, S] a link never leads into another profile, nor out of the home", async () => {
  await using home = await temporaryHome();
  await home.put("coder/prompt.md", "secret of coder");
  await mkdir(home.at("spy"));
  await symlink(home.at("coder"), home.at("alias"));
  await symlink(home.at("coder/prompt.md"), home.at("spy/prompt.md"));
  const profiles = openProfiles(home.path);

  await assert.rejects(profiles.get("alias"), refusedWith("not_plain", /link/));
  await assert.rejects(profiles.get("spy"), refusedWith("not_plain", /link/));
  assert.deepEqual(await profiles.list(), ["coder", "default", "spy"]);

  await rename(home.at(), join(home.path, "elsewhere"));
  await symlink(join(home.path, "elsewhere"), home.at());
  await assert.rejects(profiles.get("coder"), refusedWith("not_plain", /link/));
});

test("[D8] a second name for the journal's file is refused before it is opened", async () => {
  await using home = await temporaryHome();
  await mkdir(home.at("default"), { recursive: true });
  await writeFile(join(home.path, "journal.db"), "{}");
  await link(join(home.path, "journal.db"), home.at("default/profile.json"));
  const profiles = openProfiles(home.path);
  await assert.rejects(profiles.get("default"), refusedWith("not_plain", /hard link/));
});

test("[S] create makes a whole profile for its owner only, once", async () => {
  await using home = await temporaryHome();
  const profiles = openProfiles(home.path);
  const made = await Promise.allSettled([profiles.create("coder"), profiles.create("coder")]);
  assert.deepEqual(made.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  await assert.rejects(profiles.create("coder"), refusedWith("exists"));
  assert.deepEqual(await profiles.list(), ["coder", "default"]);
  assert.deepEqual(await readdir(home.at()), ["coder"], "nothing half-made is left");
  for (const folder of ["", "coder", "coder/memory", "coder/skills"]) {
    assert.equal((await lstat(home.at(folder))).mode & 0o777, 0o700, folder);
  }
  for (const file of ["profile.json", "prompt.md", "memory/MEMORY.md", "memory/USER.md"]) {
    assert.equal((await lstat(home.at("coder", file))).mode & 0o777, 0o600, file);
  }
});
