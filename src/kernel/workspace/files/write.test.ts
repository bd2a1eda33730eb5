import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { refusedWith, temporaryDirectory, testCall } from "../host/test-support.ts";
import { refuseLateStart } from "../host/tool-call.ts";
import { write } from "./write.ts";

test("a write makes its directories and says what it wrote", async () => {
  await using ws = await temporaryDirectory();

  const result = await write({ path: "a/b/f.txt", content: "one\ntwo" }, testCall(ws.path));

  assert.deepEqual(result, {
    ok: true,
    file: { path: "a/b/f.txt", size: 7 },
    area: { startLine: 1, endLine: 2 },
    bytes: 7,
    created: true,
    sha256: createHash("sha256").update("one\ntwo").digest("hex"),
  });
  assert.equal(await readFile(ws.at("a/b/f.txt"), "utf8"), "one\ntwo");
  assert.deepEqual(await readdir(ws.at("a/b")), ["f.txt"]);
});

test("a replaced file keeps its mode and is a new inode, so no reader sees half", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("run.sh"), "old");
  await chmod(ws.at("run.sh"), 0o751);
  const before = await stat(ws.at("run.sh"));

  const result = await write({ path: "run.sh", content: "new" }, testCall(ws.path));

  const after = await stat(ws.at("run.sh"));
  assert.equal(result["created"], false);
  assert.equal(after.mode, before.mode);
  assert.notEqual(after.ino, before.ino);
});

test("[X3] check says whether a write took place, and never writes", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "content");
  const call = testCall(ws.path);
  const check = async (path: string, content: string) =>
    (await write({ path, content, check: true }, call))["matches"];

  assert.equal(await check("f", "content"), true);
  assert.equal(await check("f", "CONTENT"), false);
  assert.equal(await check("f", "longer content"), false);
  assert.equal(await check("new/file", ""), false);
  assert.deepEqual(await readdir(ws.path), ["f"]);
});

test("[X5] a claim that ends while the content is being written leaves the old file", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "old");
  let asked = 0;
  const begin = () => {
    asked += 1;
    const past = asked > 1 ? 0n : process.hrtime.bigint() + 60_000_000_000n;
    refuseLateStart(past, new AbortController().signal);
  };

  const writing = write({ path: "f", content: "new" }, testCall(ws.path, { begin }));

  await assert.rejects(writing, refusedWith("claim_expired"));
  assert.equal(await readFile(ws.at("f"), "utf8"), "old");
  assert.deepEqual(await readdir(ws.path), ["f"]);
});

test("what cannot be written is refused by code and leaves nothing behind", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("dir"));
  const call = testCall(ws.path);
  const large = "x".repeat((8 << 20) + 1);

  await assert.rejects(write({ path: "dir", content: "" }, call), refusedWith("is_directory"));
  await assert.rejects(write({ path: "new/", content: "" }, call), refusedWith("is_directory"));
  await assert.rejects(write({ path: "f", content: large }, call), refusedWith("too_large"));
  await assert.rejects(write({ path: "f" }, call), refusedWith("invalid_request"));
  const aborted = testCall(ws.path);
  aborted.abort.abort();
  await assert.rejects(write({ path: "f", content: "" }, aborted), refusedWith("aborted"));
  assert.deepEqual(await readdir(ws.path), ["dir"]);
});

test("[T1] a file that cannot be read, and so not be kept, is not replaced", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "secret", { mode: 0 });
  await chmod(ws.path, 0o777);
  const call = testCall(ws.path);
  const root = process.geteuid?.() === 0; // who may read everything
  if (root) process.seteuid?.(65_534);
  try {
    await assert.rejects(write({ path: "f", content: "new" }, call), { code: "EACCES" });
  } finally {
    if (root) process.seteuid?.(0);
  }
  await chmod(ws.at("f"), 0o600);
  assert.equal(await readFile(ws.at("f"), "utf8"), "secret");
});
