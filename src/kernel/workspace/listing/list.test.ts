import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { listFiles } from "./list.ts";
import { refusedWith, temporaryDirectory, testCall } from "../host/test-support.ts";
import { formatProtected, parseProtected } from "../host/workspace.ts";

test("a directory is listed as deep as asked for", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("src/deep"), { recursive: true });
  await mkdir(ws.at("node_modules/x"), { recursive: true });
  await writeFile(ws.at("src/a.ts"), "123");
  await writeFile(ws.at("src/deep/b"), "");
  await writeFile(ws.at(".hidden"), "1");
  await symlink("src", ws.at("link"));
  execFileSync("mkfifo", [ws.at("pipe")]);
  const call = testCall(ws.path);
  const list = async (input: object) => (await listFiles(input, call))["text"];

  assert.equal(await list({}), "link\tlink\nnode_modules/\npipe\tspecial\nsrc/\n");
  assert.equal(await list({ path: "src", depth: 3 }), "a.ts\t3\ndeep/\ndeep/b\t0\n");
  assert.match((await list({ depth: 5, hidden: true })) as string, /^\.hidden\t1\n/);
  assert.doesNotMatch((await list({ depth: 5 })) as string, /node_modules\/x/);
  assert.equal(await list({ path: "src/deep/" }), "b\t0\n");
  await assert.rejects(list({ path: "src/a.ts" }), refusedWith("invalid_request"));
  await assert.rejects(list({ path: "/" }), refusedWith("outside_workspace"));
});

test("[D8] a protected directory is not even named", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("home"));
  await writeFile(ws.at("home/journal.db"), "");
  const protect = [parseProtected(await formatProtected(ws.at("home")))];
  const call = testCall("", { workspace: { directory: ws.path, protect } });

  assert.equal((await listFiles({ depth: 3 }, call))["text"], "");
});

test("[B1] more than fits is left out and said so", async () => {
  await using ws = await temporaryDirectory();
  await Promise.all(Array.from({ length: 2_100 }, (_, at) => writeFile(ws.at(`f${at}`), "")));

  const result = await listFiles({}, testCall(ws.path));

  assert.deepEqual([result["entries"], result["truncated"]], [2_000, true]);
});
