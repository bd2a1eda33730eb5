import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { link, mkdir, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { test } from "node:test";
import {
  refusedWith,
  temporaryDirectory,
  testCall,
  waitUntil,
  type TestCall,
} from "../host/test-support.ts";
import { tree } from "./tree.ts";
import { version } from "../host/version.ts";
import { formatProtected, parseProtected } from "../host/workspace.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function scan(call: TestCall) {
  call.printed.stdout = "";
  const result = await tree({}, call);
  const lines = call.printed.stdout.split("\n").slice(0, -1);
  return { ...result, entries: lines.map((line) => JSON.parse(line) as unknown[]) };
}

/** Nobody has touched the file for longer than a clock's tick. */
async function settled(path: string): Promise<void> {
  await waitUntil("its last change is past", () => Date.now() - statSync(path).ctimeMs > 120);
}

test("every regular file is listed with its hash, and nothing else", async () => {
  await using ws = await temporaryDirectory();
  for (const name of ["a/b", ".git", "node_modules", ".venv", "a/__pycache__"]) {
    await mkdir(ws.at(name), { recursive: true });
    await writeFile(ws.at(`${name}/f`), name);
  }
  await writeFile(ws.at(`.quarterdeck-${crypto.randomUUID()}.tmp`), "half");
  await writeFile(ws.at("run.sh"), "#!", { mode: 0o755 });
  await symlink("run.sh", ws.at("link"));
  execFileSync("mkfifo", [ws.at("pipe")]);

  const found = await scan(testCall(ws.path));

  assert.deepEqual(found.entries, [
    ["a/b/f", sha256("a/b"), 3, 0o644],
    ["run.sh", sha256("#!"), 2, 0o755],
  ]);
  assert.equal(found["truncated" as never], false);
});

test("unchanged files are not read again, and no change is missed", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("same"), "1");
  await writeFile(ws.at("changed"), "1");
  await settled(ws.at("changed"));
  const call = testCall(ws.path);
  const reads = async () => (await tree({}, call))["read"];

  assert.equal(await reads(), 2);
  assert.equal(await reads(), 0);
  // Same size, and its mtime set back: the ctime tells.
  await writeFile(ws.at("changed"), "2");
  await utimes(ws.at("changed"), 1, 1);
  const found = await scan(call);
  assert.deepEqual(found.entries[0]?.[1], sha256("2"));
  // Hashed so soon after its change that another one could have the same time: read again.
  assert.equal(await reads(), 1);
});

test("a file changed within one tick of the clock after it was hashed is seen", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);
  for (let round = 0; round < 50; round += 1) {
    await writeFile(ws.at("f"), `a${round}`);
    await scan(call);
    await writeFile(ws.at("f"), `b${round}`);
    assert.equal((await scan(call)).entries[0]?.[1], sha256(`b${round}`));
  }
});

test("[B1] 10,001 files, a large one and too much altogether are cut and said so", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("large"), "x");
  await truncate(ws.at("large"), (4 << 20) + 1);
  const call = testCall(ws.path);
  const large = await scan(call);
  assert.deepEqual(large.entries, [["large", null, (4 << 20) + 1, 0o644]]);
  assert.deepEqual([large["complete" as never], large["truncated" as never]], [true, true]);

  await rm(ws.at("large"));
  for (let at = 0; at < 17; at += 1) {
    await writeFile(ws.at(`m${at}`), "");
    await truncate(ws.at(`m${at}`), 4 << 20);
  }
  const much = await scan(call);
  assert.equal(much.entries.filter((entry) => entry[1] === null).length, 1);

  await mkdir(ws.at("many"));
  for (let at = 0; at < 10_001; at += 1) await writeFile(ws.at(`many/${at}`), "");
  const many = await scan(call);
  assert.deepEqual([many.entries.length, many["complete" as never]], [10_000, false]);
});

test("[S, D8] protected directories and second names of their files are not listed", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("home"));
  await writeFile(ws.at("home/journal.db"), "events");
  await link(ws.at("home/journal.db"), ws.at("hard"));
  await writeFile(ws.at("f"), "");
  await link(ws.at("f"), ws.at("g"));
  const protect = [parseProtected(await formatProtected(ws.at("home")))];
  const call = testCall("", { workspace: { directory: ws.path, protect } });

  assert.deepEqual(
    (await scan(call)).entries.map(([path]) => path),
    ["f", "g"],
  );
});

test("[X7] an abort ends a scan", async () => {
  await using ws = await temporaryDirectory();
  for (let at = 0; at < 500; at += 1) await writeFile(ws.at(`${at}`), "");
  const call = testCall(ws.path);
  const scanning = tree({}, call);
  call.abort.abort();
  await assert.rejects(scanning, refusedWith("aborted"));
});

test("a version is the hash of exactly what is sent; what is no file says what it is", async () => {
  await using ws = await temporaryDirectory();
  const content = "€".repeat(100_000);
  await writeFile(ws.at("f"), content, { mode: 0o640 });
  await symlink("f", ws.at("alias"));
  await mkdir(ws.at("dir"));
  execFileSync("mkfifo", [ws.at("pipe")]);
  const parts: Buffer[] = [];
  const output = async (_stream: string, data: Buffer) => void parts.push(Buffer.from(data));
  const call = testCall(ws.path, { output });
  const mine = { sha256: sha256(content), bytes: 300_000, mode: 0o640 };

  const one = await version({ paths: ["alias"], content: true }, call);
  const paths = ["f", "gone", "no/such/dir/f", "dir", "pipe", "../x"];
  const several = await version({ paths }, call);

  assert.deepEqual(one["versions"], [{ path: "f", version: mine }]);
  assert.equal(Buffer.concat(parts).toString(), content);
  assert.deepEqual(several["versions"], [
    { path: "f", version: mine },
    { path: "gone", version: null },
    { path: "no/such/dir/f", version: null },
    { path: "dir", version: null, problem: "is_directory" },
    { path: "pipe", version: null, problem: "not_regular" },
    { path: "../x", version: null, problem: "outside_workspace" },
  ]);
  await truncate(ws.at("f"), (64 << 20) + 1);
  await assert.rejects(version({ paths: ["f"], content: true }, call), refusedWith("too_large"));
});
