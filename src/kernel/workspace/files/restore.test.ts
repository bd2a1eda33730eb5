import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { link, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { restore } from "./restore.ts";
import { refusedWith, temporaryDirectory, testCall } from "../host/test-support.ts";
import { formatProtected, parseProtected } from "../host/workspace.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const base64 = (text: string) => Buffer.from(text).toString("base64");

test("files come back, with mode and directories, and made ones go away", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("changed"), "new");
  await writeFile(ws.at("made"), "new");
  await writeFile(ws.at("back already"), "old");
  const files = [
    { path: "changed", expect: sha256("new"), to: base64("old"), mode: 0o755 },
    { path: "made", expect: sha256("new"), to: null },
    { path: "gone/deep/f", expect: null, to: base64("old"), mode: 0o600 },
    { path: "back already", expect: sha256("new"), to: base64("old"), mode: 0o644 },
  ];

  const result = await restore({ files }, testCall(ws.path));

  assert.deepEqual(result, {
    ok: true,
    restored: ["changed", "gone/deep/f"],
    removed: ["made"],
    unchanged: ["back already"],
    conflicts: [],
  });
  assert.deepEqual((await readdir(ws.path)).toSorted(), ["back already", "changed", "gone"]);
  assert.equal(await readFile(ws.at("gone/deep/f"), "utf8"), "old");
  assert.equal((await stat(ws.at("changed"))).mode & 0o777, 0o755);
  assert.equal((await stat(ws.at("gone/deep/f"))).mode & 0o777, 0o600);
});

test("one file that somebody else changed refuses the whole; a dry run only looks", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("mine"), "new");
  await writeFile(ws.at("theirs"), "changed by hand");
  await mkdir(ws.at("dir"));
  const mine = { path: "mine", expect: sha256("new"), to: base64("old"), mode: 0o644 };
  const call = testCall(ws.path);

  const result = await restore(
    {
      files: [
        mine,
        { path: "theirs", expect: sha256("new"), to: base64("old") },
        { path: "removed", expect: sha256("new"), to: base64("old") },
        { path: "theirs", expect: null, to: base64("old") },
        { path: "dir", expect: sha256("new"), to: base64("old") },
      ],
    },
    call,
  );
  const dry = await restore({ files: [{ ...mine, to: sha256("old") }], dry_run: true }, call);

  assert.deepEqual(result["conflicts"], [
    { path: "theirs", reason: "changed_since" },
    { path: "removed", reason: "removed_since" },
    { path: "theirs", reason: "created_since" },
    { path: "dir", reason: "is_directory" },
  ]);
  assert.deepEqual([result["ok"], result["restored"]], [false, []]);
  assert.deepEqual([dry["ok"], dry["restored"]], [true, ["mine"]]);
  assert.equal(await readFile(ws.at("mine"), "utf8"), "new");
  assert.equal(await readFile(ws.at("theirs"), "utf8"), "changed by hand");
});

test("a file that is changed after the first look stops it there", async () => {
  await using ws = await temporaryDirectory();
  for (const name of ["a", "b", "c"]) await writeFile(ws.at(name), "new");
  const files = ["a", "b", "c"].map((path) => ({ path, expect: sha256("new"), to: null }));
  let asked = 0;
  const begin = () => {
    asked += 1;
    // 1 for all, then 2 per file: between the two of "b" somebody writes it.
    if (asked === 4) execFileSync("sh", ["-c", `printf theirs > ${ws.at("b")}`]);
  };

  const result = await restore({ files }, testCall(ws.path, { begin }));

  assert.deepEqual(result["conflicts"], [{ path: "b", reason: "changed_since" }]);
  assert.deepEqual([result["ok"], result["removed"]], [false, ["a"]]);
  assert.equal(await readFile(ws.at("b"), "utf8"), "theirs");
  assert.deepEqual(await readdir(ws.path), ["b", "c"]);
});

test("[X5] a claim that ends in the middle says that something was done", async () => {
  await using ws = await temporaryDirectory();
  for (const name of ["a", "b"]) await writeFile(ws.at(name), "new");
  const files = ["a", "b"].map((path) => ({ path, expect: sha256("new"), to: null }));
  const call = testCall(ws.path);
  let asked = 0;
  const begin = () => {
    asked += 1;
    if (asked > 3) call.abort.abort();
    call.begin();
  };

  await assert.rejects(restore({ files }, { ...call, begin }), /Stopped after 1 of 2 files/);
  assert.deepEqual(await readdir(ws.path), ["b"]);
});

test("content that fits into no frame is put together from its parts", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);
  const parts = ["one ", "two ", "three"];

  for (const part of parts) await restore({ stage: { id: "s", data: base64(part) } }, call);
  await restore({ files: [{ path: "f", expect: null, staged: "s" }] }, call);

  assert.equal(await readFile(ws.at("f"), "utf8"), "one two three");
  const again = restore({ files: [{ path: "g", expect: null, staged: "s" }] }, call);
  await assert.rejects(again, refusedWith("invalid_request"));
  const much = Buffer.alloc(50 << 20).toString("base64");
  await restore({ stage: { id: "x", data: much } }, call);
  await restore({ stage: { id: "y", data: much } }, call);
  await restore({ stage: { id: "z", data: much } }, call); // no room: the first is forgotten
  const forgotten = restore({ files: [{ path: "g", expect: null, staged: "x" }] }, call);
  await assert.rejects(forgotten, refusedWith("invalid_request"));
});

test("[S, D8] nothing outside, protected or irregular is restored", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/home"), { recursive: true });
  await mkdir(outer.at("other"));
  await writeFile(outer.at("ws/home/journal.db"), "events");
  await link(outer.at("ws/home/journal.db"), outer.at("ws/hard"));
  await writeFile(outer.at("other/secret"), "secret");
  await symlink(outer.at("other"), outer.at("ws/dir"));
  execFileSync("mkfifo", [outer.at("ws/fifo")]);
  const protect = [parseProtected(await formatProtected(outer.at("ws/home")))];
  const call = testCall("", { workspace: { directory: outer.at("ws"), protect } });

  for (const [path, reason] of [
    ["hard", "protected"],
    ["home/journal.db", "protected"],
    ["dir/secret", "outside_workspace"],
    [outer.at("other/secret"), "outside_workspace"],
    ["/proc/self/root/etc/hostname", "outside_workspace"],
    ["fifo", "not_regular"],
  ] as const) {
    const content = path.includes("secret") ? "secret" : "events";
    for (const to of [null, base64("x")]) {
      const result = await restore({ files: [{ path, expect: sha256(content), to }] }, call);
      assert.deepEqual(result["conflicts"], [{ path, reason }]);
    }
  }
  assert.equal(await readFile(outer.at("ws/home/journal.db"), "utf8"), "events");
  assert.equal(await readFile(outer.at("other/secret"), "utf8"), "secret");
  await rm(outer.at("ws/fifo"));
});
