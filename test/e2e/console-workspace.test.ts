// The console's workspace with real processes: files, search, saving, commands, checkpoints, git; and that no
// path leads anywhere else, through any of its endpoints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ON_POSTGRES } from "../support/backend.ts";
import { followRun } from "../support/follow.ts";
import { call, startRun, type Answer } from "../support/http.ts";
import { newPlace, startProgram, type Program } from "../support/program.ts";
import { eventsOf } from "../support/runs.ts";
import { until } from "../support/until.ts";

const place = newPlace({ demo_delay_ms: 0 });
let program: Program;
const at = (name: string) => join(place.workspace, name);
const content = (name: string) => readFileSync(at(name), "utf8");

before(async () => {
  writeFileSync(at("poem.txt"), "one\ntwo needle\nthree\n");
  writeFileSync(at(".hidden"), "a hidden needle\n");
  mkdirSync(at("src/deep/deeper"), { recursive: true });
  writeFileSync(at("src/main.ts"), "const needle = 1;\n");
  writeFileSync(at("src/deep/deeper/x.md"), "x\n");
  writeFileSync(at("picture.png"), Buffer.from([0x89, 0x50, 0, 0, 1]));
  program = await startProgram(place);
});
after(async () => {
  await program?.[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

type Data = Record<string, unknown>;
type Node = { name: string; path: string; type: string; children: Node[]; truncated: boolean };
const get = <Reply = Data>(path: string, query: Record<string, string> = {}) =>
  call<Reply>(
    program,
    "GET",
    `/api/gui/workspace/${path}?${new URLSearchParams(query).toString()}`,
  );
const post = <Reply = Data>(path: string, body: object) =>
  call<Reply>(program, "POST", `/api/gui/workspace/${path}`, body);
const refusal = ({ status, body }: Answer<unknown>) => [status, body.error?.code];
const flat = ({ body }: Answer<unknown>) => {
  const { ok: _ok, data: _data, ...rest } = body as unknown as Data;
  return rest;
};

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

type Saved = {
  saved: boolean;
  sha256: string;
  session_id: string;
  run_id: string;
  checkpoint_id: string;
};
test("[W6, H12, T2] a save is a run with a checkpoint; it can be looked at and taken back", async () => {
  execFileSync("chmod", ["750", at("poem.txt")]);
  const before = content("poem.txt");
  const saved = await post<Saved>("file/save", { path: "poem.txt", content: "ONE\r\ntwo\n" });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  const { session_id, run_id, checkpoint_id } = saved.body.data;
  assert.equal(content("poem.txt"), "ONE\r\ntwo\n");
  assert.equal(statSync(at("poem.txt")).mode & 0o777, 0o750);
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "checkpoint.created").length, 1);
  assert.equal(eventsOf(events, "files.changed")[0]?.payload.changes[0]?.path, "poem.txt");
  assert.ok(!JSON.stringify(events).includes("ONE"), "the content is in the blob store");

  type Listed = { working_dir: string; checkpoints: Data[] };
  for (const query of [{}, { session_id }, { workspace: place.workspace }]) {
    const { checkpoints, working_dir } = (
      await get<Listed>("checkpoints", query as Record<string, string>)
    ).body.data;
    assert.equal(working_dir, place.workspace);
    assert.deepEqual(
      [
        checkpoints[0]?.["checkpoint_id"],
        checkpoints[0]?.["label"],
        checkpoints[0]?.["file_count"],
      ],
      [checkpoint_id, "Save poem.txt", 1],
    );
    assert.match(String(checkpoints[0]?.["created_at"]), /^\d{4}-.*Z$/);
  }
  const shown = (await get<{ diff: string; stat: string }>("diff", { checkpoint_id })).body.data;
  assert.match(shown.diff, /^--- a\/poem\.txt\n\+\+\+ b\/poem\.txt\n@@/);
  assert.match(shown.stat, /poem\.txt \| \+2 -3/);
  const part = await get<{ diff: string }>("diff", { run_id, path: "other.txt" });
  assert.equal(part.body.data.diff, "");
  assert.ok((await get<{ diff: string }>("diff", { session_id })).body.data.diff.includes("+ONE"));
  assert.deepEqual(refusal(await get("diff")), [400, "missing_checkpoint_id"]);
  for (const id of ["ck_run_none_t0.c0_1", "../x", "ck_"]) {
    assert.deepEqual(refusal(await get("diff", { checkpoint_id: id })), [
      404,
      "checkpoint_not_found",
    ]);
    const asked = await post("rollback", { checkpoint_id: id });
    assert.deepEqual(refusal(asked), [404, "checkpoint_not_found"]);
  }
  assert.deepEqual(refusal(await get("diff", { run_id: "run_none" })), [404, "run_not_found"]);
  assert.deepEqual(refusal(await post("rollback", {})), [400, "missing_checkpoint_id"]);
  const wrong = await post("rollback", { checkpoint_id, path: "other.txt" });
  assert.deepEqual(refusal(wrong), [400, "invalid_rollback"]);
  const escaping = await post("rollback", { checkpoint_id, path: "/etc/passwd" });
  assert.deepEqual(refusal(escaping), [400, "invalid_path"]);

  writeFileSync(at("poem.txt"), "by somebody else\n");
  const refused = await post("rollback", { checkpoint_id });
  assert.deepEqual(refusal(refused), [409, "rollback_failed"]);
  assert.equal(content("poem.txt"), "by somebody else\n");
  writeFileSync(at("poem.txt"), "ONE\r\ntwo\n");
  const back = await post<{ result: Data }>("rollback", { checkpoint_id, file_path: "poem.txt" });
  assert.deepEqual(
    [back.status, back.body.data.result["success"], back.body.data.result["restored"]],
    [200, true, ["poem.txt"]],
  );
  assert.equal(content("poem.txt"), before);
});

test("[W6, H12] a save with an expectation is refused when the file is another, and nothing is lost", async () => {
  const first = await post<Saved>("file/save", { path: "new/made.txt", content: "a" });
  assert.equal(content("new/made.txt"), "a");
  writeFileSync(at("new/made.txt"), "meanwhile");
  const late = await post("file/save", {
    path: "new/made.txt",
    content: "b",
    expected_sha256: first.body.data.sha256,
  });
  assert.deepEqual(refusal(late), [409, "save_conflict"]);
  assert.equal(content("new/made.txt"), "meanwhile");
  assert.deepEqual(refusal(await post("file/save", { content: "x" })), [400, "missing_path"]);
  assert.deepEqual(refusal(await post("file/save", { path: "x" })), [400, "invalid_content"]);
  assert.deepEqual(refusal(await post("file/save", { path: "src", content: "" })), [
    400,
    "invalid_path",
  ]);
  const large = { path: "large.txt", content: "€".repeat(500_000) };
  assert.deepEqual(refusal(await post("file/save", large)), [413, "too_large"]);
  const most = { path: "large.txt", content: "\n".repeat(1_048_576) };
  assert.equal((await post("file/save", most)).status, 200);
  assert.equal(statSync(at("large.txt")).size, 1_048_576);
});

type Ran = { cwd: string; stdout: string; stderr: string; returncode: number | null } & Data;
test("[W6, H12] exec: both streams and the code, in the sandbox, told to the journal", async () => {
  const ran = await post<Ran>("exec", { command: "echo out; echo err >&2; pwd; exit 3" });
  const { cwd, stdout, stderr, returncode, run_id } = ran.body.data;
  assert.deepEqual(
    { cwd, stdout, stderr, returncode },
    { cwd: place.workspace, stdout: `out\n${place.workspace}\n`, stderr: "err\n", returncode: 3 },
  );
  const { events } = await followRun(() => program, String(run_id));
  assert.equal(eventsOf(events, "tool.started").length, 1);
  assert.equal(eventsOf(events, "approval.requested").length, 0, "the person asked for it");
  const inside = await post<Ran>("exec", { command: "pwd", cwd: "src" });
  assert.equal(inside.body.data.stdout, `${at("src")}\n`);
  assert.deepEqual(refusal(await post("exec", {})), [400, "invalid_command"]);
  assert.deepEqual(refusal(await post("exec", { command: "a\0b" })), [400, "invalid_command"]);
  assert.deepEqual(refusal(await post("exec", { command: "ls", cwd: "/etc" })), [
    400,
    "invalid_path",
  ]);
  const key = { command: "echo x >> once.txt", command_id: "k1" };
  const twice = await Promise.all([post<Ran>("exec", key), post<Ran>("exec", key)]);
  assert.equal(twice[0].body.data["run_id"], twice[1].body.data["run_id"]);
  assert.equal(content("once.txt"), "x\n");
});

test("[W6, P1] a rule that forbids a command forbids it to the console too", async () => {
  await call(program, "POST", "/api/sessions", { session_id: "ruled" });
  const permissions = [
    { effect: "deny", tool: "exec", argv: ["touch"] },
    { effect: "deny", tool: "save", path: "src/**" },
  ];
  await call(program, "POST", "/api/sessions/ruled/settings", { permissions });
  const denied = await post("exec", { session_id: "ruled", command: "touch forbidden" });
  assert.deepEqual(refusal(denied), [403, "command_denied"]);
  const save = await post("file/save", { session_id: "ruled", path: "src/no.txt", content: "" });
  assert.deepEqual(refusal(save), [403, "command_denied"]);
  assert.equal((await get("file", { path: "forbidden" })).status, 404);
});

test("[W6] a command that goes on, or waits behind a run, is answered honestly", async () => {
  await call(program, "POST", "/api/sessions", { session_id: "busy" });
  const { run_id } = await startRun(program, "clarify Go on? | yes", { session_id: "busy" });
  const waiting = () => call<{ status: string }>(program, "GET", `/api/runs/${run_id}`);
  await until(async () => (await waiting()).body.data.status === "awaiting_clarify", "a question");
  const asked = { session_id: "busy", command: "echo later", wait_s: 0 };
  const behind = await post<Ran>("exec", asked);
  assert.deepEqual(
    [behind.body.data["running"], behind.body.data["status"], behind.body.data.returncode],
    [true, "queued", null],
  );
  await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  const later = String(behind.body.data["run_id"]);
  const { events } = await followRun(() => program, later);
  assert.equal(eventsOf(events, "tool.done")[0]?.payload.exit_code, 0);
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

test("[W6, H12] what was saved, run and rolled back is the same after everything was killed", async () => {
  const checkpoints = async () =>
    (await get<{ checkpoints: Data[] }>("checkpoints")).body.data.checkpoints;
  const before = await checkpoints();
  await program.kill("serve");
  await program.kill("work");
  await until(async () => (await get("tree").catch(() => null))?.status === 200, "another server");
  assert.deepEqual(await checkpoints(), before);
  assert.equal((await post<Ran>("exec", { command: "echo again" })).body.data.stdout, "again\n");
});
