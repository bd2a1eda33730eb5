// Skills over HTTP: the native API, every refusal, and installs from real folders, archives and git.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { tarGz, zip } from "../../../../test/support/archives.ts";
import { gitServer } from "../../../../test/support/servers/git-server.ts";
import { stopPeers } from "../../../../test/support/peer.ts";
import type { SessionSkillsView, SkillDetail, SkillInspection, SkillsView } from "../records.ts";
import { skillSources } from "../runner/sources.ts";
import { openFixture } from "../../../kernel/server/routes/test-support.ts";

after(stopPeers);

const URL = "/api/profiles/default/skills";
const SOURCES = "/api/profiles/default/skill-sources";
const MAIN = "---\nname: demo\ndescription: A demo\ncategory: tests\n---\n\n# Do\n";
const DEPLOY = { name: "deploy", description: "How to deploy", category: "ops", content: "# Go\n" };

type Fixture = Awaited<ReturnType<typeof openFixture>>;
const names = ({ skills }: SkillsView) => skills.map(({ name }) => name);
const actions = async (fixture: Fixture) =>
  (await fixture.noted()).map(({ type, payload }) =>
    type === "skill.changed" ? `${payload.by} ${payload.action} ${payload.name}` : type,
  );

test("[M1, H1] skills are written, listed by category and words, read, edited and taken away", async () => {
  await using fixture = await openFixture();
  assert.deepEqual((await fixture.get<SkillsView>(URL)).data.skills, []);
  const { skill, content } = (await fixture.post<SkillDetail>(URL, DEPLOY)).data;
  assert.deepEqual([skill.name, skill.category, skill.source], ["deploy", "ops", null]);
  assert.equal(
    content,
    '---\nname: deploy\ndescription: "How to deploy"\ncategory: "ops"\n---\n\n# Go\n',
  );
  await fixture.post(URL, { name: "review", description: "How to review", content: "# Look\n" });
  const list = async (query = "") => names((await fixture.get<SkillsView>(`${URL}${query}`)).data);
  assert.deepEqual(await list(), ["deploy", "review"]);
  assert.deepEqual(await list("?category=ops"), ["deploy"]);
  assert.deepEqual(await list("?words=how%20REVIEW"), ["review"]);
  assert.deepEqual(await list("?category=ops&words=review"), []);
  const { categories } = (await fixture.get<SkillsView>(URL)).data;
  assert.deepEqual(categories, [{ name: "ops", count: 1 }]);

  const next = content.replace("# Go", "# Go slowly");
  const change = { content: next, hash: skill.hash };
  const edited = (await fixture.post<SkillDetail>(`${URL}/deploy`, change)).data;
  assert.deepEqual([edited.content, edited.skill.last?.by], [next, "person"]);
  const stale = await fixture.post(`${URL}/deploy`, change);
  assert.deepEqual([stale.status, stale.error.code], [409, "conflict"]);
  assert.equal((await fixture.post(`${URL}/deploy/remove`, { hash: skill.hash })).status, 409);
  const { hash } = edited.skill;
  const left = await fixture.post<SkillsView>(`${URL}/deploy/remove`, { hash });
  assert.deepEqual(names(left.data), ["review"]);
  assert.ok(fixture.home.has("default/skills/.removed/deploy/SKILL.md"), "it can be taken back");
  assert.deepEqual(await actions(fixture), [
    "person created deploy",
    "person created review",
    "person edited deploy",
    "person removed deploy",
  ]);
});

test("[M2] skills that somebody wrote, edited or removed by hand are noted once", async () => {
  await using fixture = await openFixture();
  await fixture.home.put("default/skills/mine/SKILL.md", MAIN);
  await fixture.home.put("default/skills/mine/more.md", "more");
  await Promise.all([fixture.get(URL), fixture.get(URL), fixture.get(URL)]);
  await fixture.home.put("default/skills/mine/more.md", "other");
  await fixture.get(URL);
  const { content } = (await fixture.get<SkillDetail>(`${URL}/mine?path=more.md`)).data;
  assert.equal(content, "other");
  await rm(fixture.home.at("default/skills/mine"), { recursive: true });
  await Promise.all([fixture.get(URL), fixture.get(URL)]);
  assert.deepEqual(await actions(fixture), [
    "hand created mine",
    "hand edited mine",
    "hand removed mine",
  ]);
});

test("[H1, S] what does not fit is refused with a reason, and nothing is written", async () => {
  await using fixture = await openFixture();
  await fixture.post(URL, DEPLOY);
  const hash = "0".repeat(64);
  const source = { kind: "path", path: "/etc" };
  const cases: [string, unknown, number][] = [
    [URL, DEPLOY, 409],
    [URL, { ...DEPLOY, name: "../x" }, 400],
    [URL, { ...DEPLOY, name: "Deploy" }, 400],
    [URL, { ...DEPLOY, name: "x", content: " " }, 400],
    [URL, { ...DEPLOY, name: "x", content: "---\nname: x\n" }, 400],
    [URL, { ...DEPLOY, name: "x", more: 1 }, 400],
    [URL, { ...DEPLOY, name: "x", content: "x".repeat(65_537) }, 400],
    [`${URL}/nothing`, { content: "# x", hash }, 404],
    [`${URL}/deploy`, { content: "# x", hash: "x" }, 400],
    [`${URL}/deploy`, { content: "# x", hash }, 409],
    [`${URL}/nothing/remove`, { hash }, 404],
    ["/api/profiles/nobody/skills", { ...DEPLOY, name: "x" }, 404],
    [`${SOURCES}/inspect`, { source }, 503],
    [`${SOURCES}/inspect`, { source: { kind: "ftp", url: "x" } }, 400],
    [`${SOURCES}/install`, { source }, 400],
  ];
  for (const [url, body, status] of cases) {
    const reply = await fixture.post(url, body);
    assert.equal(reply.status, status, `${url} ${JSON.stringify(body).slice(0, 80)}`);
  }
  for (const path of ["..%2f..%2fmemory%2fMEMORY.md", "%2fetc%2fpasswd", "a%00b"]) {
    assert.equal((await fixture.get(`${URL}/deploy?path=${path}`)).status, 400, path);
  }
  assert.equal((await fixture.get(`${URL}/deploy?path=none.md`)).status, 404);
  assert.equal((await fixture.get(`${URL}/..%2fx`)).status, 400);
  assert.deepEqual(names((await fixture.get<SkillsView>(URL)).data), ["deploy"]);
});

test("[M5, M1] a session loads a skill, switches one off, and offers the others", async () => {
  await using fixture = await openFixture();
  await fixture.journal.commands.createSession(
    { session_id: "s1" },
    { model: "demo/demo", workspace: "/w" },
  );
  await fixture.post(URL, DEPLOY);
  await fixture.post(URL, { ...DEPLOY, name: "review" });
  const at = "/api/sessions/s1/skills";
  assert.equal((await fixture.post(at, { name: "deploy", state: "loaded" })).status, 202);
  assert.equal((await fixture.post(at, { name: "deploy", state: "loaded" })).status, 200);
  await fixture.post(at, { name: "gone", state: "off" });
  const { skills } = (await fixture.get<SessionSkillsView>(at)).data;
  assert.deepEqual(
    skills.map(({ name, state, missing }) => [name, state, missing]),
    [
      ["deploy", "loaded", false],
      ["review", "offered", false],
      ["gone", "off", true],
    ],
  );
  assert.equal((await fixture.get("/api/sessions/s2/skills")).error.code, "session_not_found");
  assert.equal((await fixture.post(at, { name: "deploy", state: "on" })).status, 400);
  const none = await fixture.post("/api/sessions/s2/skills", { name: "deploy", state: "off" });
  assert.equal(none.error.code, "session_not_found");
});

async function recorded(allowPrivateHosts: readonly string[] = []) {
  const sources: { it?: ReturnType<typeof skillSources> } = {};
  const fixture = await openFixture({
    homeFiles: {
      sources: { fetch: (...asked) => sources.it?.fetch(...asked) ?? assert.fail("not yet") },
    },
  });
  sources.it = skillSources({ home: fixture.home.path, sandbox: "auto", allowPrivateHosts });
  return fixture;
}

test("[M4a, M4f] what is installed is what was inspected: folder, archive, upload; later edits show", async () => {
  await using fixture = await recorded();
  const elsewhere = join(fixture.store.home, "elsewhere");
  await mkdir(join(elsewhere, "scripts"), { recursive: true });
  await writeFile(join(elsewhere, "SKILL.md"), MAIN);
  await writeFile(join(elsewhere, "scripts/run.sh"), "touch /tmp/never\n");
  await chmod(join(elsewhere, "scripts/run.sh"), 0o755);
  const source = { kind: "path", path: elsewhere };
  const inspect = async (from: object) =>
    fixture.post<SkillInspection>(`${SOURCES}/inspect`, { source: from });
  const seen = (await inspect(source)).data;
  assert.deepEqual([seen.name, seen.category, seen.installed], ["demo", "tests", null]);
  assert.deepEqual(
    seen.files.map(({ path, script }) => [path, script]),
    [
      ["SKILL.md", false],
      ["scripts/run.sh", true],
    ],
  );
  assert.match(seen.warnings.join(), /could be run/);
  assert.deepEqual(
    (await fixture.get<SkillsView>(URL)).data.skills,
    [],
    "inspecting writes nothing",
  );

  await writeFile(join(elsewhere, "SKILL.md"), `${MAIN}and more\n`);
  const install = (more: object) =>
    fixture.post<SkillDetail>(`${SOURCES}/install`, { source, hash: seen.hash, ...more });
  const changed = await install({});
  assert.deepEqual([changed.status, changed.error.details.reason], [409, "changed"]);
  const { hash } = (await inspect(source)).data;
  const { skill } = (await install({ hash })).data;
  assert.deepEqual([skill.hash, skill.source, skill.modified], [hash, elsewhere, false]);
  const { mode } = await stat(fixture.home.at("default/skills/demo/scripts/run.sh"));
  assert.equal(mode & 0o777, 0o600, "nothing of it is executable");
  const again = await install({ hash });
  assert.deepEqual([again.status, again.error.details.reason], [409, "exists"]);
  await fixture.home.put("default/skills/demo/SKILL.md", `${MAIN}by hand\n`);
  const [now] = (await fixture.get<SkillsView>(URL)).data.skills;
  assert.deepEqual([now?.modified, now?.installed_hash], [true, hash]);
  assert.equal((await install({ hash, replaces: hash })).status, 409, "not what it was");
  const fresh = await install({ hash, replaces: now?.hash });
  assert.deepEqual([fresh.status, fresh.data.skill.modified], [200, false]);
  assert.equal((await inspect(source)).data.installed?.hash, hash);

  const bytes = zip([{ name: "x/SKILL.md", data: MAIN.replace("name: demo", "name: Not A Name") }]);
  const blob = fixture.journal.blobs.create();
  await blob.write(bytes);
  const { sha256 } = await blob.finish();
  const upload = { kind: "upload", sha256 };
  const packed = (await inspect(upload)).data;
  assert.deepEqual([packed.name, packed.folder], [null, "x"]);
  const nameless = await install({ source: upload, hash: packed.hash });
  assert.deepEqual([nameless.status, nameless.error.code], [400, "invalid_request"]);
  const named = await install({ source: upload, hash: packed.hash, name: "named" });
  assert.equal(named.data.skill.source, `upload ${sha256}`);
  assert.deepEqual(await actions(fixture), [
    "person installed demo",
    "hand edited demo",
    "person installed demo",
    "person installed named",
  ]);
});

test("[M4, S] what is not there, ours, hostile or too much is refused with its reason", async () => {
  await using fixture = await recorded();
  const inspect = (source: object) => fixture.post(`${SOURCES}/inspect`, { source });
  const file = async (name: string, bytes: Buffer) => {
    await writeFile(join(fixture.store.home, name), bytes);
    return { kind: "path", path: join(fixture.store.home, name) };
  };
  const hostile = tarGz([
    { name: "SKILL.md", data: MAIN },
    { name: "../../x", data: "x" },
  ]);
  const cases: [object, number, string][] = [
    [{ kind: "path", path: "/nothing/there" }, 404, "not_found"],
    [{ kind: "path", path: "relative" }, 400, "invalid_request"],
    [{ kind: "path", path: fixture.home.at("default") }, 404, "not_found"],
    [{ kind: "path", path: fixture.home.path }, 403, "forbidden"],
    [{ kind: "upload", sha256: "0".repeat(64) }, 404, "blob_not_found"],
    [await file("hostile.tgz", hostile), 400, "invalid_request"],
    [await file("none.zip", zip([{ name: "README.md", data: "x" }])), 404, "not_found"],
    [
      await file("broken.zip", zip([{ name: "SKILL.md", data: "---\nname: x" }])),
      400,
      "invalid_request",
    ],
    [
      await file("binary.zip", zip([{ name: "SKILL.md", data: Buffer.from([255, 254]) }])),
      400,
      "invalid_request",
    ],
    [{ kind: "git", url: "https://127.0.0.1/x.git" }, 403, "forbidden"],
    [{ kind: "git", url: "https://169.254.169.254/x" }, 403, "forbidden"],
    [{ kind: "git", url: "http://example.org/x.git" }, 400, "invalid_request"],
    [{ kind: "git", url: "ext::sh -c touch% /tmp/never" }, 400, "invalid_request"],
    [{ kind: "git", url: "https://a:b@example.org/x" }, 400, "invalid_request"],
    [{ kind: "git", url: "https://example.org/x", ref: "--upload-pack=x" }, 400, "invalid_request"],
  ];
  for (const [source, status, code] of cases) {
    const reply = await inspect(source);
    assert.deepEqual([reply.status, reply.error.code], [status, code], JSON.stringify(source));
  }
});

test("[M4d, S] git: the newest state of a repository, without its hooks, links and redirects", async () => {
  await using server = await gitServer();
  await using fixture = await recorded(["127.0.0.1"]);
  const marker = join(server.root, "ran");
  server.commit({ "skills/demo/SKILL.md": MAIN, "README.md": "# Not this\n" });
  await writeFile(
    join(server.root, "work/.git/hooks/post-checkout"),
    `#!/bin/sh\ntouch ${marker}\n`,
  );
  const source = { kind: "git", url: server.url };
  const inspect = async (more = {}) =>
    fixture.post<SkillInspection>(`${SOURCES}/inspect`, { source: { ...source, ...more } });
  const { hash, folder } = (await inspect()).data;
  assert.equal(folder, "skills/demo");
  const installed = await fixture.post<SkillDetail>(`${SOURCES}/install`, { source, hash });
  assert.equal(installed.data.skill.source, server.url);
  assert.equal(await readFile(fixture.home.at("default/skills/demo/SKILL.md"), "utf8"), MAIN);
  server.commit({ "skills/demo/SKILL.md": `${MAIN}changed\n` });
  const stale = await fixture.post(`${SOURCES}/install`, { source, hash, replaces: hash });
  assert.deepEqual([stale.status, stale.error.details.reason], [409, "changed"]);
  server.git("tag", "v1");
  assert.equal((await inspect({ ref: "v1" })).status, 200);
  assert.equal((await inspect({ ref: "v2" })).status, 400);
  const moved = await inspect({ url: server.url.replace("/work", "/elsewhere/work") });
  assert.deepEqual([moved.status, moved.error.code], [400, "invalid_request"]);
  await symlink("/etc/passwd", join(server.root, "work/skills/demo/linked.md"));
  server.commit({});
  assert.match((await inspect()).error.message, /linked\.md is a link/);
  assert.ok(!existsSync(marker), "no hook ran");
});
