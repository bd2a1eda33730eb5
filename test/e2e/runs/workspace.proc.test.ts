// A session's files through the server: what may be seen, in bounds, and nothing that may not, whatever
// the path, the link or the name.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type {
  FilesView,
  FileText,
  FileView,
  FindView,
  GitStatusView,
} from "../../../src/kernel/api/records/records.ts";
import { ON_POSTGRES } from "../../support/backend.ts";
import { call, startRun } from "../../support/http.ts";
import { openPair, type Pair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { followRun } from "../../support/follow.ts";
import { eventsOf, isRunning, processesWith } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const place = newTestHome();
let program: Pair;
const at = (name: string) => join(place.workspace, name);
const SESSION = "/api/sessions/s";

before(async () => {
  writeFileSync(at("poem.txt"), "one\ntwo needle\nthree\n");
  writeFileSync(at(".hidden"), "dot\n");
  mkdirSync(at("src/deep"), { recursive: true });
  writeFileSync(at("src/main.ts"), "const needle = 1;\n");
  writeFileSync(at("src/deep/needle.md"), "Nothing here\n");
  writeFileSync(at("picture.png"), Buffer.from([0x89, 0x50, 0, 0, 1]));
  program = await openPair(place, { apart: ["serve", "work"] });
  await call(program, "POST", "/api/sessions", { session_id: "s" });
});
after(async () => {
  await program?.[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

async function ask<Data>(route: "files" | "file" | "find", query: Record<string, string> = {}) {
  return call<Data>(program, "GET", `${SESSION}/${route}?${new URLSearchParams(query).toString()}`);
}
const isReader = (pid: number) => isRunning(pid) && processesWith("--role=reader").includes(pid);

async function refused(path: string, route: "files" | "file" = "file") {
  const { status, body } = await ask(route, { path });
  assert.equal(body.ok, false, `${route} of ${path}`);
  return [status, body.error.code, body.error.details["reason"]];
}

test("[H7a] a folder is listed in bounds, hidden names only when asked for", async () => {
  const top = (await ask<FilesView>("files")).body.data;
  assert.equal(top.workspace, place.workspace);
  assert.deepEqual(
    top.entries.map(({ path, kind }) => `${kind} ${path}`),
    ["file picture.png", "file poem.txt", "folder src"],
  );
  const hidden = (await ask<FilesView>("files", { hidden: "1" })).body.data;
  assert.ok(hidden.entries.some(({ path }) => path === ".hidden"));
  const deep = (await ask<FilesView>("files", { path: "src", depth: "3" })).body.data;
  assert.deepEqual(
    deep.entries.map(({ path }) => path),
    ["src/deep", "src/deep/needle.md", "src/main.ts"],
  );
  mkdirSync(at("many"));
  for (let number = 0; number < 5_010; number += 1) writeFileSync(at(`many/${number}`), "");
  const many = (await ask<FilesView>("files", { path: "many" })).body.data;
  assert.deepEqual([many.entries.length, many.truncated], [5_000, true]);
});

test("[H7] a file is read by lines, with what it is as a whole", async () => {
  const { body } = await ask<FileView>("file", { path: "poem.txt", first_line: "2", lines: "1" });
  const { text, first_line, lines, total_lines, bytes, binary, version } = body.data;
  assert.deepEqual(
    { text, first_line, lines, total_lines, bytes, binary },
    { text: "two needle", first_line: 2, lines: 1, total_lines: 3, bytes: 21, binary: false },
  );
  writeFileSync(at("poem.txt"), "one\ntwo needle\nthree\nfour");
  const changed = (await ask<FileView>("file", { path: "poem.txt" })).body.data;
  assert.notEqual(changed.version, version);
  assert.deepEqual([changed.text, changed.total_lines], ["one\ntwo needle\nthree\nfour", 4]);
  const picture = (await ask<FileView>("file", { path: "picture.png" })).body.data;
  assert.deepEqual([picture.binary, picture.text, picture.bytes], [true, "", 5]);
  const beyond = (await ask<FileView>("file", { path: "poem.txt", first_line: "99" })).body.data;
  assert.deepEqual([beyond.lines, beyond.total_lines], [0, 4]);
  writeFileSync(at("empty"), "");
  assert.equal((await ask<FileView>("file", { path: "empty" })).body.data.total_lines, 0);
});

test("[H7, B1] a huge file and a huge line cost a page", async () => {
  writeFileSync(at("long-line"), `${"x".repeat(3_000_000)}\nafter\n`);
  const long = (await ask<FileView>("file", { path: "long-line" })).body.data;
  assert.deepEqual([long.lines, long.total_lines, long.cut_lines], [2, 2, [1]]);
  assert.equal(long.text, `${"x".repeat(8_192)}\nafter`);
  writeFileSync(at("wide"), `${"y".repeat(4_000)}\n`.repeat(100));
  const wide = (await ask<FileView>("file", { path: "wide" })).body.data;
  assert.ok(wide.lines < 40 && wide.total_lines === 100, "fewer lines than there are");
  writeFileSync(at("huge"), "first\nsecond\n");
  truncateSync(at("huge"), 3_000_000_000); // sparse
  const huge = (await ask<FileView>("file", { path: "huge", lines: "1" })).body.data;
  assert.deepEqual([huge.bytes, huge.binary, huge.text], [3_000_000_000, true, ""]);
  execFileSync("sh", ["-c", "yes 0123456789abcde | head -c 80000000 > big.log"], {
    cwd: place.workspace,
  });
  const big = (await ask<FileView>("file", { path: "big.log", first_line: "4000000", lines: "1" }))
    .body;
  assert.deepEqual([big.data.text, big.data.total_lines], ["0123456789abcde", null]);
});

test("[S] no path leads out of the workspace or into the journal's home", async () => {
  symlinkSync("/etc", at("etc"));
  symlinkSync("/etc/hostname", at("host"));
  symlinkSync(place.home, at("data"));
  symlinkSync("../../../../../../etc/passwd", at("up"));
  symlinkSync("loop", at("loop"));
  const outside = [403, "forbidden", "outside_workspace"];
  for (const path of [
    "../home/token",
    "src/../../home/token",
    "/etc/hostname",
    at("poem.txt"),
    "etc/hostname",
    "host",
    "data/token",
    "up",
  ]) {
    assert.deepEqual(await refused(path), outside, path);
  }
  for (const path of ["..", "/", "/proc/self/fd", "etc", "data", "src/../.."]) {
    assert.deepEqual(await refused(path, "files"), outside, path);
  }
  assert.deepEqual(await refused("loop"), [403, "forbidden", "io"]);
  assert.deepEqual(await refused("gone.txt"), [404, "not_found", "not_found"]);
  assert.deepEqual(await refused("gone", "files"), [404, "not_found", "not_found"]);
  assert.deepEqual(await refused("src"), [400, "invalid_request", "is_directory"]);
  assert.deepEqual(await refused("poem.txt", "files"), [400, "invalid_request", "invalid_request"]);
  assert.equal((await refused("a\0b"))[0], 400);
  assert.equal((await refused("x".repeat(5_000)))[0], 400);
  assert.equal((await refused("x".repeat(300)))[0], 400);
});

test("[S, D8] a second name of the journal is refused, and a search never shows what is in it", async () => {
  const names = ON_POSTGRES ? ["config.json"] : ["token", "journal.db"];
  for (const name of names) linkSync(join(place.home, name), at(`innocent.${name}`));
  for (const name of names.map((each) => `innocent.${each}`)) {
    assert.deepEqual(await refused(name), [403, "forbidden", "protected"]);
  }
  const found = (await ask<FindView>("find", { q: program.token.slice(0, 12) })).body.data;
  assert.deepEqual(found.hits, []);
  const { run_id } = await startRun(program, "say still here", { session_id: "s" });
  assert.equal((await followRun(() => program, run_id)).events.at(-1)?.type, "done");
});

test("[S] a pipe, a socket and a device are refused without waiting for them", async () => {
  execFileSync("mkfifo", [at("pipe")]);
  assert.deepEqual(await refused("pipe"), [400, "invalid_request", "not_regular"]);
  const { entries } = (await ask<FilesView>("files")).body.data;
  assert.equal(entries.find(({ path }) => path === "pipe")?.kind, "other");
});

test("[S, H7] names that try to look like something else come as they are", async () => {
  const names = ["gpj.\u202etxt", "two\nlines.txt", " space ", "quote\"'<b>", "%2e%2e", "-rf"];
  for (const name of names) writeFileSync(at(name), `in ${name}`);
  const { entries } = (await ask<FilesView>("files")).body.data;
  for (const name of names) {
    assert.ok(
      entries.some(({ path }) => path === name),
      JSON.stringify(name),
    );
    const { data } = (await ask<FileView>("file", { path: name })).body;
    assert.equal(data.text, `in ${name}`);
  }
});

test("[H7] files are found by name and lines by content, as text or as an expression", async () => {
  const found = (await ask<FindView>("find", { q: "needle" })).body.data;
  assert.deepEqual(found.names, [{ path: "src/deep/needle.md", kind: "file" }]);
  assert.deepEqual(
    found.hits.map(({ path, line }) => `${path}:${line}`),
    ["poem.txt:2", "src/main.ts:1"],
  );
  const names = (await ask<FindView>("find", { q: "NEEDLE", in: "names" })).body.data;
  assert.deepEqual([names.names.length, names.hits.length], [1, 0]);
  const glob = (await ask<FindView>("find", { q: "needle", in: "contents", glob: "*.ts" })).body;
  assert.deepEqual(glob.data.hits, [{ path: "src/main.ts", line: 1, text: "const needle = 1;" }]);
  const expression = { q: "^t(wo|hree)", regex: "1", in: "contents" };
  assert.equal((await ask<FindView>("find", expression)).body.data.hits.length, 2);
  assert.equal((await ask<FindView>("find", { q: "t(wo", in: "contents" })).body.ok, true);
  assert.equal((await ask("find", { q: "t(wo", regex: "1" })).status, 400);
  assert.equal((await ask("find", { q: "" })).status, 400);
});

const save = (body: object) =>
  call<{ run_id: string }>(program, "POST", `${SESSION}/file/save`, body);
const doneOf = async (runId: string) => {
  const { events } = await followRun(() => program, runId);
  return eventsOf(events, "tool.done")[0]?.payload;
};

test("[H12b] a text is read whole and saved over exactly that", async () => {
  writeFileSync(at("edit.txt"), "a\r\nb"); // no line break at its end
  const read = async (path: string) =>
    call<FileText>(program, "GET", `${SESSION}/file/text?path=${encodeURIComponent(path)}`);
  const { data } = (await read("edit.txt")).body;
  assert.deepEqual([data.text, data.bytes], ["a\r\nb", 4]);
  const first = await save({ path: "edit.txt", content: "c", expect: data.sha256 });
  assert.equal(first.status, 202);
  assert.equal((await doneOf(first.body.data.run_id))?.ok, true);
  assert.equal(readFileSync(at("edit.txt"), "utf8"), "c");
  const late = await save({ path: "edit.txt", content: "d", expect: data.sha256 });
  const refusedSave = await doneOf(late.body.data.run_id);
  assert.deepEqual([refusedSave?.ok, refusedSave?.error?.code], [false, "conflict"]);
  assert.equal(readFileSync(at("edit.txt"), "utf8"), "c");
  const created = await save({ path: "edit.txt", content: "e", expect: null });
  assert.equal((await doneOf(created.body.data.run_id))?.error?.code, "conflict");
  for (const [path, status] of [
    ["picture.png", 400],
    ["/etc/hostname", 403],
    ["../x", 403],
    ["gone.txt", 404],
    ["long-line", 413],
  ] as const) {
    assert.equal((await read(path)).status, status, path);
  }
  assert.equal((await save({ path: "/etc/x", content: "" })).status, 403);
  assert.equal((await save({ path: "x", content: "\ud800" })).status, 400);
  assert.equal((await save({ path: "x", content: "x", expect: "no hash" })).status, 400);
  const out = await save({ path: "../out.txt", content: "x" });
  assert.equal((await doneOf(out.body.data.run_id))?.error?.code, "outside_workspace");
});

test("[H12, X3] a save whose runner is killed is in the file once, or asked about, never half", async () => {
  const content = "x".repeat(900_000);
  const { body } = await save({ path: "killed.txt", content, expect: null });
  await program.kill("work");
  const done = await doneOf(body.data.run_id);
  assert.equal(done?.ok, true);
  assert.equal(readFileSync(at("killed.txt"), "utf8"), content);
});

test("[H12a] a person's command runs in its turn and asks nobody", async () => {
  const { body } = await call<{ run_id: string }>(program, "POST", `${SESSION}/exec`, {
    command: "echo hello; exit 4",
  });
  const done = await doneOf(body.data.run_id);
  assert.deepEqual([done?.exit_code, done?.output.head], [4, "hello\n"]);
  const bad = await call(program, "POST", `${SESSION}/exec`, { command: "" });
  assert.equal(bad.status, 400);
  assert.equal(
    (await call(program, "POST", "/api/sessions/nobody/exec", { command: "ls" })).status,
    404,
  );
});

test("[H11d] git is asked through the session, and says when there is no repository", async () => {
  const git = (name: string) => call<GitStatusView>(program, "GET", `${SESSION}/git/${name}`);
  const none = (await git("status")).body.data;
  assert.deepEqual([none.repository, !none.repository && none.reason], [false, "not_a_repository"]);
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: place.workspace });
  const status = (await git("status")).body.data;
  assert.ok(status.repository && status.branch === "main" && status.entries.length > 0);
  for (const name of ["log", "worktrees", "diff?of=index"])
    assert.equal((await git(name)).status, 200);
  for (const query of [
    "diff?path=/etc/passwd",
    "diff?commit=HEAD",
    "log?limit=0",
    "diff?path=a%00b",
  ]) {
    assert.equal((await git(query)).status, 400, query);
  }
  assert.equal((await git("diff?path=../home")).status, 403);
});

test("[T4, T2] a moment of the session has its files: changed, deleted and made ones are as they were", async () => {
  await call(program, "POST", "/api/sessions", { session_id: "then" });
  await call(program, "POST", "/api/sessions/then/settings", { yolo: true });
  writeFileSync(at("kept.txt"), "first\n");
  writeFileSync(at("gone.txt"), "still here\n");
  const message = "edit kept.txt | first | second\nexec rm gone.txt\nwrite made/new.txt 1\\n";
  const { run_id } = await startRun(program, message, { session_id: "then" });
  const { events } = await followRun(() => program, run_id);
  const seqs = events.filter(({ type }) => type === "files.changed").map((e) => e.session_seq);
  assert.equal(seqs.length, 3, JSON.stringify(events.map(({ type }) => type)));
  const then = async <Data>(route: string, query: object) => {
    const asked = new URLSearchParams({ ...query } as Record<string, string>).toString();
    return call<Data>(program, "GET", `/api/sessions/then/${route}?${asked}`);
  };
  const names = async (until: number | string) => {
    const { body } = await then<FilesView>("files", { until });
    const all = new Set(body.data.entries.map(({ path }) => path));
    return ["kept.txt", "gone.txt", "made"].filter((path) => all.has(path));
  };
  const text = async (path: string, until: number) =>
    (await then<FileView>("file", { path, until })).body.data?.text;
  const [edited = 0, removed = 0, made = 0] = seqs;
  assert.deepEqual(await names(0), ["kept.txt", "gone.txt"]);
  assert.deepEqual(await names(edited), ["kept.txt", "gone.txt"]);
  assert.deepEqual(await names(removed), ["kept.txt"]);
  assert.deepEqual(await names(made), ["kept.txt", "made"]);
  const kept = [await text("kept.txt", 0), await text("kept.txt", edited)];
  assert.deepEqual(kept, ["first", "second"]);
  assert.equal(await text("gone.txt", edited), "still here");
  assert.equal((await then("file", { path: "gone.txt", until: removed })).status, 404);
  assert.equal((await then("file", { path: "made/new.txt", until: removed })).status, 404);
  assert.equal((await then("file", { path: "../home/token", until: 0 })).status, 403);
  assert.equal((await then("files", { until: "soon" })).status, 400);
});

test("[H7] only a session that is there has files, and the reader is not the server", async () => {
  assert.equal((await call(program, "GET", "/api/sessions/nobody/files")).status, 404);
  const without = await fetch(`${program.url}${SESSION}/files`);
  assert.equal(without.status, 401);
  const open = readdirSync(`/proc/${program.pid("serve")}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${program.pid("serve")}/fd/${fd}`);
    } catch {
      return "";
    }
  });
  assert.deepEqual(
    open.filter((path) => path.startsWith(place.workspace)),
    [],
  );
  await program.kill("serve");
  await until(() => !processesWith(place.workspace).some((pid) => isReader(pid)), "no reader");
  await until(async () => (await ask("files").catch(() => null))?.status === 200, "another server");
});
