// The console's workspace with real processes: files, search, git; and that no path leads anywhere else, through any
// of its endpoints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ON_POSTGRES } from "../../support/backend.ts";
import {
  at,
  flat,
  get,
  place,
  post,
  program,
  refusal,
  type Data,
} from "../../support/console/workspace.ts";

type Node = { name: string; path: string; type: string; children: Node[]; truncated: boolean };

test("[W6, H11] tree: depth, hidden names, and at most 200 entries", async () => {
  const answer = await get<{ workspace_root: string; tree: Node }>("tree", { depth: "1" });
  assert.deepEqual(flat(answer), answer.body.data, "the document's fields and the client's");
  const { workspace_root, tree } = answer.body.data;
  assert.equal(workspace_root, place.workspace);
  assert.deepEqual(
    tree.children.map(({ name, type, children }) => [name, type, children.length]),
    [
      ["picture.png", "file", 0],
      ["poem.txt", "file", 0],
      ["src", "directory", 0],
    ],
  );
  const names = ({ path, children }: Node): string[] => [path, ...children.flatMap(names)];
  const asked = async (query: Record<string, string>) =>
    names((await get<{ tree: Node }>("tree", query)).body.data.tree);
  assert.deepEqual(await asked({ root: "src", depth: "6" }), [
    "src",
    "src/deep",
    "src/deep/deeper",
    "src/deep/deeper/x.md",
    "src/main.ts",
  ]);
  assert.deepEqual(await asked({ path: "src", depth: "0" }), ["src"]);
  assert.ok((await asked({ include_hidden: "true" })).includes(".hidden"));
  assert.deepEqual(await asked({ path: at("src"), depth: "1" }), [
    "src",
    "src/deep",
    "src/main.ts",
  ]);
  mkdirSync(at("many"));
  for (let number = 0; number < 210; number += 1) writeFileSync(at(`many/${number}`), "");
  const many = (await get<{ tree: Node }>("tree", { path: "many" })).body.data.tree;
  assert.deepEqual([many.children.length, many.truncated], [200, true]);
  for (const depth of ["7", "-1", "x"]) {
    assert.deepEqual(refusal(await get("tree", { depth })), [400, "invalid_request"]);
  }
  assert.deepEqual(refusal(await get("tree", { path: "gone" })), [404, "path_not_found"]);
  assert.deepEqual(refusal(await get("tree", { path: "poem.txt" })), [400, "invalid_path"]);
  assert.deepEqual(refusal(await get("tree", { session_id: "nobody" })), [
    404,
    "session_not_found",
  ]);
});

type FileReply = { file: Data };
test("[W6, H11] file: ranges from one on, size, lines, binary", async () => {
  const read = async (query: Record<string, string>) =>
    (await get<FileReply>("file", query)).body.data.file;
  const part = await read({ path: "poem.txt", offset: "2", limit: "1" });
  const { content: text, size, line_count, offset, limit, truncated, is_binary } = part;
  assert.deepEqual(
    { text, size, line_count, offset, limit, truncated, is_binary },
    {
      text: "two needle",
      size: 21,
      line_count: 3,
      offset: 2,
      limit: 1,
      truncated: true,
      is_binary: false,
    },
  );
  assert.equal((await read({ path: "poem.txt" }))["truncated"], false);
  const picture = await read({ path: "picture.png" });
  assert.deepEqual([picture["is_binary"], picture["content"], picture["size"]], [true, "", 5]);
  assert.deepEqual(refusal(await get("file")), [400, "missing_path"]);
  for (const query of [{ offset: "0" }, { limit: "2001" }, { limit: "0" }, { offset: "x" }]) {
    const asked = { path: "poem.txt", ...query } as Record<string, string>;
    assert.deepEqual(refusal(await get("file", asked)), [400, "invalid_pagination"]);
  }
  assert.deepEqual(refusal(await get("file", { path: "src" })), [400, "invalid_path"]);
});

test("[W6, H11] search: three names for the words, folders, globs, expressions, hidden files, limits", async () => {
  type Found = { matches: { path: string; line: number; content: string }[]; truncated: boolean };
  const found = async (query: Record<string, string>) =>
    (await get<Found>("search", query)).body.data;
  const where = async (query: Record<string, string>) =>
    (await found(query)).matches.map(({ path, line }) => `${path}:${line}`);
  for (const name of ["query", "q", "pattern"]) {
    assert.deepEqual(await where({ [name]: "needle" }), ["poem.txt:2", "src/main.ts:1"]);
  }
  assert.deepEqual(await where({ q: "needle", path: "src" }), ["src/main.ts:1"]);
  assert.deepEqual(await where({ q: "needle", file_glob: "*.txt" }), ["poem.txt:2"]);
  assert.deepEqual(await where({ q: "^t(wo|hree)", regex: "true" }), ["poem.txt:2", "poem.txt:3"]);
  assert.ok((await where({ q: "needle", include_hidden: "1" })).includes(".hidden:1"));
  const one = await found({ q: "needle", limit: "1" });
  assert.deepEqual([one.matches.length, one.truncated], [1, true]);
  assert.deepEqual(refusal(await get("search")), [400, "missing_query"]);
  assert.deepEqual(refusal(await get("search", { q: "(", regex: "1" })), [400, "invalid_request"]);
  assert.deepEqual(refusal(await get("search", { q: "x", limit: "201" })), [
    400,
    "invalid_pagination",
  ]);
  assert.deepEqual(refusal(await get("search", { q: "x", path: "gone" })), [404, "path_not_found"]);
});

test("[S, W6] no path leads out of the workspace or into the journal's home, by any endpoint", async () => {
  symlinkSync("/etc", at("etc"));
  symlinkSync(place.home, at("data"));
  symlinkSync("loop", at("loop"));
  symlinkSync("/tmp/nowhere-outside", at("dangling"));
  execFileSync("mkfifo", [at("pipe")]);
  const name = ON_POSTGRES ? "config.json" : "token";
  linkSync(join(place.home, name), at("innocent"));
  const outside = [
    "../home/token",
    "src/../../home/token",
    "/etc/hostname",
    "etc/hostname",
    "data/token",
    join(place.home, "token"),
    "loop",
  ];
  for (const path of outside) {
    const read = await get("file", { path });
    assert.deepEqual(refusal(read), [400, "invalid_path"], path);
    assert.equal(read.body.error.message, "Path escapes the active workspace.");
    assert.deepEqual(refusal(await get("tree", { path })), [400, "invalid_path"], path);
    assert.deepEqual(refusal(await get("search", { q: "x", path })), [400, "invalid_path"], path);
  }
  for (const path of [...outside.slice(0, 6), "innocent", "pipe", "dangling", "loop"]) {
    const save = await post("file/save", { path, content: "x" });
    assert.ok([400, 409].includes(save.status), `${path}: ${JSON.stringify(save.body)}`);
    const diff = await get("git/diff", { path });
    assert.ok(diff.status === 400 || diff.body.ok, path);
  }
  assert.notEqual(readFileSync(join(place.home, name), "utf8"), "x");
  assert.deepEqual(refusal(await get("file", { path: "pipe" })), [400, "invalid_path"]);
  assert.deepEqual(refusal(await get("file", { path: "innocent" })), [400, "invalid_path"]);
  for (const path of ["a\0b", "x".repeat(5_000), "x".repeat(300)]) {
    assert.deepEqual(refusal(await get("file", { path })), [400, "invalid_path"]);
    const save = await post("file/save", { path, content: "x" });
    assert.ok([400, 409].includes(save.status), JSON.stringify(save.body));
  }
  const found = await get<{ matches: unknown[] }>("search", {
    q: program.token.slice(0, 12),
    include_hidden: "1",
  });
  assert.deepEqual(found.body.data.matches, []);
});

test("[H11, W6] git: no repository, then status, diff, log and worktrees", async () => {
  const none = await get<{ repository: boolean; reason: string }>("git/status");
  assert.deepEqual(
    [none.status, none.body.data.repository, none.body.data.reason],
    [200, false, "not_a_repository"],
  );
  const git = (...args: string[]) => execFileSync("git", args, { cwd: place.workspace });
  git("init", "-q", "-b", "main");
  git("add", "poem.txt", "src");
  git("-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-qm", "First");
  writeFileSync(at("src/main.ts"), "const needle = 2;\n");
  const status = (await get<{ branch: string; entries: Data[] }>("git/status")).body.data;
  assert.equal(status.branch, "main");
  assert.ok(
    status.entries.some(({ path, worktree }) => path === "src/main.ts" && worktree === "M"),
  );
  type Diffs = { files: { path: string; text: string }[] };
  const diff = (await get<Diffs>("git/diff", { path: "src/main.ts" })).body.data;
  assert.equal(diff.files[0]?.text, "@@ -1 +1 @@\n-const needle = 1;\n+const needle = 2;\n");
  const log = (await get<{ commits: { commit: string; subject: string }[] }>("git/log")).body.data;
  assert.deepEqual(
    log.commits.map(({ subject }) => subject),
    ["First"],
  );
  const commit = log.commits[0]?.commit ?? "";
  assert.ok((await get<Diffs>("git/diff", { of: "commit", commit })).body.data.files.length >= 2);
  const trees = (await get<{ worktrees: Data[] }>("git/worktrees")).body.data.worktrees;
  assert.deepEqual(
    trees.map(({ path, current }) => [path, current]),
    [[place.workspace, true]],
  );
  for (const query of [
    { of: "commit" },
    { commit: "--output=x" },
    { of: "all" },
    { commit: "HEAD" },
  ]) {
    assert.equal((await get("git/diff", query as Record<string, string>)).status, 400);
  }
  assert.equal((await get("git/diff", { commit: "0123abcd" })).status, 404);
  for (const limit of ["0", "201"]) assert.equal((await get("git/log", { limit })).status, 400);
});
