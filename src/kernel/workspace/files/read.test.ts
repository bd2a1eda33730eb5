import assert from "node:assert/strict";
import { mkdir, open, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { read } from "./read.ts";
import { refusedWith, temporaryDirectory, testCall } from "../host/test-support.ts";

test("a page is the lines that were asked for, as they are in the file", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "one\ntwo\r\nthree\nfour");

  const result = await read({ path: "f", offset: 2, limit: 2 }, testCall(ws.path));

  assert.deepEqual(result, {
    ok: true,
    file: { path: "f", size: 19 },
    area: { startLine: 2, endLine: 3 },
    text: "two\r\nthree\n",
    bytes: 11,
    truncated: true,
  });
});

test("the last page is not truncated, and a page past the end is empty", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "one\ntwo\n");
  await writeFile(ws.at("empty"), "");
  const call = testCall(ws.path);

  const last = await read({ path: ws.at("f"), offset: 2, limit: 1 }, call);
  const past = await read({ path: "f", offset: 9 }, call);
  const empty = await read({ path: "empty" }, call);

  assert.deepEqual([last["text"], last["truncated"]], ["two\n", false]);
  assert.deepEqual([past["text"], past["area"]], ["", { startLine: 9, endLine: 8 }]);
  assert.deepEqual([empty["text"], empty["area"]], ["", { startLine: 1, endLine: 0 }]);
});

test("[B1] one endless line costs a page: cut at 64 KiB, never inside a character", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("wide"), `x${"€".repeat(100_000)}`);
  await using sparse = await open(ws.at("huge"), "w");
  await sparse.write(Buffer.alloc(100_000, "a"));
  await sparse.truncate(600_000_000);
  const call = testCall(ws.path);

  const wide = await read({ path: "wide" }, call);
  const huge = await read({ path: "huge" }, call);

  assert.equal(wide["text"], `x${"€".repeat(21_845)}`);
  assert.deepEqual([wide["bytes"], wide["truncated"]], [65_536, true]);
  assert.deepEqual(wide["area"], { startLine: 1, endLine: 1 });
  assert.deepEqual([huge["bytes"], huge["truncated"]], [65_536, true]);
});

test("a page deep in a file of many chunks starts on the right line", async () => {
  await using ws = await temporaryDirectory();
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}`);
  await writeFile(ws.at("long"), lines.join("\n"));

  const result = await read({ path: "long", offset: 40_000, limit: 2 }, testCall(ws.path));

  assert.equal(result["text"], "line 40000\nline 40001\n");
});

test("bytes that are not UTF-8 are replaced and stay within the bound", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("latin1"), Buffer.alloc(60_000, 0xe9));

  const result = await read({ path: "latin1" }, testCall(ws.path));

  assert.deepEqual([result["bytes"], result["truncated"]], [65_535, true]);
});

test("a binary file is named as such and not shown", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("b"), Buffer.from([0x7f, 0x45, 0, 1]));

  const result = await read({ path: "b" }, testCall(ws.path));

  assert.deepEqual([result["binary"], result["text"], result["bytes"]], [true, "", 0]);
});

test("what cannot be read is refused by code", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("dir"));
  await writeFile(ws.at("f"), "");
  const call = testCall(ws.path);

  await assert.rejects(read({ path: "gone" }, call), refusedWith("not_found"));
  await assert.rejects(read({ path: "f/below" }, call), refusedWith("not_found"));
  await assert.rejects(read({ path: "dir" }, call), refusedWith("is_directory"));
  await assert.rejects(read({ path: "." }, call), refusedWith("is_directory"));
  for (const input of [null, {}, { path: "" }, { path: "a\0b" }, { path: "f", offset: 0 }]) {
    await assert.rejects(read(input, call), refusedWith("invalid_request"));
  }
});
