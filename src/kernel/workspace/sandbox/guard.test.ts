// Which files of a workspace are protected, and what a command made of them: told apart, taken back, or left
// because git wrote it by itself.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { protectedReason } from "../../run/permissions/protected-files.ts";
import { findProtected, MAX_FOLDERS } from "./find/protected.ts";
import { guard, type Guarded, type TakenBack } from "./guard.ts";
import { isHarmlessConfig, isHarmlessGit } from "../git/harmless-git.ts";
import { temporaryDirectory, testCall, type TestDirectory } from "../host/test-support.ts";

const ME = ["-c", "user.name=me", "-c", "user.email=me@example.org"];

function git(cwd: string, ...args: string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" };
  execFileSync("git", [...ME, "-c", "protocol.file.allow=always", ...args], {
    cwd,
    env,
    stdio: "pipe",
  });
}

function put(ws: TestDirectory, name: string, content = "x"): void {
  mkdirSync(dirname(ws.at(name)), { recursive: true });
  writeFileSync(ws.at(name), content);
}

async function look(ws: TestDirectory): Promise<Guarded> {
  const { found } = await guard({}, testCall(ws.path));
  return found as Guarded;
}

async function takenBack(ws: TestDirectory, before: Guarded): Promise<TakenBack[]> {
  const { taken } = await guard({ before }, testCall(ws.path));
  return taken as TakenBack[];
}

test("[SB3] protected are settings and hooks of every repository: submodules, worktrees, bare ones", async () => {
  await using ws = await temporaryDirectory();
  mkdirSync(ws.at("main/deep"), { recursive: true });
  git(ws.at("main"), "init", "-q", "-b", "main");
  git(ws.at("main"), "commit", "-q", "--allow-empty", "-m", "one");
  git(ws.at("main"), "worktree", "add", "-q", ws.at("tree"));
  git(ws.path, "clone", "-q", "--bare", ws.at("main"), ws.at("bare"));
  git(ws.at("main"), "submodule", "--quiet", "add", ws.at("bare"), "sub");
  git(ws.at("main"), "config", "core.hooksPath", "scripts/hooks");
  put(ws, "main/scripts/hooks/pre-commit");
  put(ws, "main/deep/.vscode/tasks.json");
  put(ws, "main/node_modules/x/.vscode/tasks.json");
  put(ws, ".bashrc");

  const { paths, repositories, complete } = await findProtected(ws.path);

  const expected = [
    ".bashrc main/.git/config main/.git/hooks main/.git/info main/scripts/hooks bare/config",
    "main/deep/.vscode tree/.git main/.git/worktrees/tree/commondir main/sub/.git",
    "main/.git/modules/sub/config main/.git/modules/sub/hooks",
  ].flatMap((names) => names.split(" "));
  for (const path of expected) assert.ok(paths.includes(path), path);
  assert.ok(!paths.some((path) => path.includes("node_modules") || path.includes("objects")));
  for (const path of ["main/.git", "bare", "main/.git/modules/sub"]) {
    assert.ok(repositories.includes(path), path);
  }
  assert.equal(complete, true);
});

test("[SB3b] what appeared or changed is taken back, and nothing else is touched", async () => {
  await using ws = await temporaryDirectory();
  git(ws.path, "init", "-q");
  put(ws, ".envrc", "earlier");
  put(ws, ".vscode/settings.json", "{}");
  symlinkSync("settings.json", ws.at(".vscode/link"));
  const before = await look(ws);

  put(ws, ".envrc", "evil");
  put(ws, ".vscode/tasks.json", "evil");
  put(ws, ".husky/pre-commit", "evil");
  put(ws, ".git/hooks/post-commit", "evil");
  chmodSync(ws.at(".vscode/settings.json"), 0o777);
  put(
    ws,
    ".git/config",
    `${readFileSync(ws.at(".git/config"), "utf8")}[core]\n\tfsmonitor = evil\n`,
  );
  put(ws, "plain/file");
  const taken = await takenBack(ws, before);

  const changes = taken.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  assert.deepEqual(
    changes.map(({ path, was, failed }) => [path, was, failed]),
    [
      [".envrc", "changed", undefined],
      [".git/config", "changed", undefined],
      [".git/hooks/post-commit", "created", undefined],
      [".husky", "created", undefined],
      [".vscode/settings.json", "changed", undefined],
      [".vscode/tasks.json", "created", undefined],
    ],
  );
  assert.equal(readFileSync(ws.at(".envrc"), "utf8"), "earlier");
  for (const gone of [".husky", ".vscode/tasks.json", ".git/hooks/post-commit"]) {
    assert.equal(existsSync(ws.at(gone)), false, gone);
  }
  assert.doesNotMatch(readFileSync(ws.at(".git/config"), "utf8"), /fsmonitor/);
  assert.equal(existsSync(ws.at("plain/file")), true);
  const kept = taken.find(({ path }) => path === ".envrc")?.contents[".envrc"] ?? "";
  assert.equal(Buffer.from(kept, "base64").toString(), "evil");
  assert.deepEqual(await takenBack(ws, before), []);
});

test("[SB3] a flood of protected files is taken back too, and one that was there before is said to be too much", async () => {
  await using ws = await temporaryDirectory();
  const before = await look(ws);
  for (let at = 0; at < 1_500; at += 1) put(ws, `a/${at}/.envrc`);
  put(ws, "z/.vscode/tasks.json");
  assert.equal((await guard({}, testCall(ws.path)))["overfull"], true);

  const answer = await guard({ before }, testCall(ws.path));

  assert.deepEqual([(answer["taken"] as TakenBack[]).length, answer["more"]], [200, true]);
  assert.equal(existsSync(ws.at("z/.vscode")), false);
  assert.deepEqual(await look(ws), {});
});

test("[SB3] however many folders there are, those that git goes to are looked at first", async () => {
  await using ws = await temporaryDirectory();
  for (let at = 0; at < MAX_FOLDERS; at += 1) mkdirSync(ws.at(`f${at}`));
  git(ws.path, "init", "-q");
  mkdirSync(ws.at("f9/sub"));
  git(ws.at("f9/sub"), "init", "-q");
  const empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
  git(ws.path, "update-index", "--add", "--cacheinfo", `160000,${empty},f9/sub`);

  const { paths, complete } = await findProtected(ws.path);

  assert.equal(complete, false);
  for (const path of [".git/config", "f9/sub/.git/config"]) assert.ok(paths.includes(path), path);
});

test("what git writes by itself stays: init, clone, submodules, worktrees", async () => {
  await using ws = await temporaryDirectory();
  const before = await look(ws);
  mkdirSync(ws.at("made"));
  git(ws.at("made"), "init", "-q", "-b", "main");
  git(ws.at("made"), "commit", "-q", "--allow-empty", "-m", "one");
  git(ws.path, "clone", "-q", "made", "copy");
  git(ws.path, "clone", "-q", "--bare", "made", "bare");
  git(ws.at("made"), "worktree", "add", "-q", ws.at("tree"));
  assert.deepEqual(await takenBack(ws, before), []);
});

test("[SB3] settings that name a program are not harmless, however they are spelled", () => {
  const harmless = [
    '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.org/x.git\n',
    '[branch "a"]\n\tremote = origin\n\tmerge = refs/heads/a\n[user]\n\tname = Me\n',
  ];
  for (const text of harmless) assert.equal(isHarmlessConfig(text), true, text);
  const harmful = [
    "[core]\n\tfsmonitor = x",
    "[CORE]\n\tFSMonitor=x",
    "[core] fsmonitor = x",
    "[core]\n\tbare = false \\\nfsmonitor = x",
    "[core]\n\thooksPath = x",
    "[include]\n\tpath = x",
    '[includeIf "gitdir:/"]\n\tpath = x',
    "[alias]\n\tx = !evil",
    '[diff "x"]\n\ttextconv = evil',
    '[filter "x"]\n\tsmudge = evil',
    '[remote "o"]\n\turl = ext::sh -c evil',
    '[remote "o"]\n\tuploadpack = evil',
    "[core]\n\tsshCommand = evil",
    "[credential]\n\thelper = evil",
    "[constructor]\n\tname = x",
    "bare = false",
  ];
  for (const text of harmful) assert.equal(isHarmlessConfig(text), false, text);
  assert.equal(isHarmlessGit("a/.git", "gitdir: ../b/.git/worktrees/a\n"), true);
  assert.equal(isHarmlessGit("a/.git", "gitdir: ../evil\n"), false);
  assert.equal(isHarmlessGit("a/.git/commondir", "../evil"), false);
  assert.equal(isHarmlessGit(".git/hooks/pre-commit", ""), false);
});

test("[P1f] writing asks for protected files and for what completes a repository", async () => {
  await using ws = await temporaryDirectory();
  const reason = (path: string) => protectedReason(path, ws.path);
  for (const path of [".git/x", "a/.vscode/b", ".bashrc", ".ssh/authorized_keys", ".ENVRC"]) {
    assert.match(reason(path) ?? "", /protected file/, path);
  }
  for (const path of ["src/a.ts", "sub/HEAD", "sub/config", "a/.bashrc.txt", ".npmrc"]) {
    assert.equal(reason(path), undefined, path);
  }
  mkdirSync(ws.at("sub/objects"), { recursive: true });
  mkdirSync(ws.at("sub/refs"));
  for (const path of ["sub/HEAD", "sub/config", "sub/hooks/pre-commit"]) {
    assert.match(reason(path) ?? "", /git repository/, path);
  }
  put(ws, "other/HEAD");
  mkdirSync(ws.at("other/refs"));
  assert.match(reason("other/objects/keep") ?? "", /git repository/);
  assert.match(reason("other/commondir") ?? "", /git repository/);
  assert.equal(reason("sub/plain"), undefined);
});
