import assert from "node:assert/strict";
import { chmod, link, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { test } from "node:test";
import { append } from "./append.ts";
import { edit } from "./edit.ts";
import { withFileLocked } from "./file-locks.ts";
import { refuseChanged, replaceFile } from "./replace-file.ts";
import { refusedWith, temporaryDirectory, testCall } from "../host/test-support.ts";
import { formatProtected, parseProtected } from "../host/workspace.ts";

test("an edit replaces the one place and names its lines in the resulting file", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "one\ntwo\nthree\n");
  await chmod(ws.at("f"), 0o750);
  const call = testCall(ws.path);

  const result = await edit({ path: "f", old_text: "two\n", new_text: "2\n2½\n" }, call);

  assert.deepEqual(result["area"], { startLine: 2, endLine: 3 });
  assert.deepEqual(result["file"], { path: "f", size: 16 });
  assert.equal(await readFile(ws.at("f"), "utf8"), "one\n2\n2½\nthree\n");
  assert.equal((await stat(ws.at("f"))).mode & 0o777, 0o750);
  assert.deepEqual(await readdir(ws.path), ["f"]);
});

test("a text that is not there, or there more than once, is refused and nothing is written", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "aaa bbb aaa");
  await writeFile(ws.at("crlf"), "a\r\nb\r\n");
  const call = testCall(ws.path, { begin: () => undefined });
  const change = async (path: string, old_text: string) =>
    edit({ path, old_text, new_text: "" }, call);

  await assert.rejects(change("f", "ccc"), refusedWith("text_not_found"));
  await assert.rejects(change("f", "aaa"), /occurs 2 times/);
  await assert.rejects(change("f", "aa"), /occurs 4 times/); // overlapping places count: which one was meant?
  await assert.rejects(change("crlf", "a\nb"), /CRLF/);
  assert.equal(await readFile(ws.at("f"), "utf8"), "aaa bbb aaa");
});

test("replace_all takes every place, and bytes that are not UTF-8 stay as they are", async () => {
  await using ws = await temporaryDirectory();
  const latin1 = Buffer.from([0xe9, 10, 0x78, 10, 0xe8, 10, 0x78, 10]);
  await writeFile(ws.at("f"), latin1);

  const input = { path: "f", old_text: "x", new_text: "yz", replace_all: true };
  const result = await edit(input, testCall(ws.path));

  assert.deepEqual(result["replaced"], 2);
  assert.deepEqual(result["area"], { startLine: 2, endLine: 4 });
  const expected = Buffer.from([0xe9, 10, 0x79, 0x7a, 10, 0xe8, 10, 0x79, 0x7a, 10]);
  assert.deepEqual(await readFile(ws.at("f")), expected);
});

test("[X3] edits and appends of one file side by side all take place", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), Array.from({ length: 20 }, (_, index) => `<${index}>`).join("\n"));
  await symlink("f", ws.at("alias"));

  await Promise.all([
    ...Array.from({ length: 20 }, (_, index) =>
      edit(
        { path: index % 2 ? "f" : "alias", old_text: `<${index}>`, new_text: `[${index}]` },
        testCall(ws.path),
      ),
    ),
    ...Array.from({ length: 5 }, (_, index) =>
      append({ path: "new", content: `${index}\n` }, testCall(ws.path)),
    ),
  ]);

  const numbers = (await readFile(ws.at("new"), "utf8")).trim().split("\n");
  assert.deepEqual(numbers.toSorted(), ["0", "1", "2", "3", "4"]);
  assert.doesNotMatch(await readFile(ws.at("f"), "utf8"), /</);
});

test("a file that somebody changes between reading and replacing is left to them", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);
  const place = { workspace: call.workspace, path: "f", parents: "create" } as const;
  const replace = async (meddle: () => Promise<void>) =>
    withFileLocked(place, async (location) => {
      const before = location.stats;
      const fill = async (file: FileHandle) => {
        await file.writeFile("ours");
        await meddle();
      };
      const verify = () => refuseChanged(location, before);
      await replaceFile(location, call, { fill, before, verify });
    });

  await assert.rejects(
    replace(() => writeFile(ws.at("f"), "made by somebody")),
    refusedWith("conflict"),
  );
  await assert.rejects(
    replace(() => writeFile(ws.at("f"), "changed by somebody")),
    refusedWith("conflict"),
  );
  assert.equal(await readFile(ws.at("f"), "utf8"), "changed by somebody");
  assert.deepEqual(await readdir(ws.path), ["f"]);
});

test("[X5] a claim that ends before the new content takes the name leaves the old", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "old\n");
  for (const work of [
    async (call: ReturnType<typeof testCall>) =>
      edit({ path: "f", old_text: "old", new_text: "new" }, call),
    async (call: ReturnType<typeof testCall>) => append({ path: "f", content: "new" }, call),
  ]) {
    const call = testCall(ws.path);
    let asked = 0;
    const begin = () => {
      asked += 1;
      if (asked > 1) call.abort.abort();
      call.begin();
    };
    await assert.rejects(work({ ...call, begin }), refusedWith("aborted"));
    assert.equal(asked, 2);
    assert.deepEqual(await readdir(ws.path), ["f"]);
    assert.equal(await readFile(ws.at("f"), "utf8"), "old\n");
  }
});

test("an append names the lines it added, and makes the file and its directories", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);
  const add = async (content: string) => (await append({ path: "a/f", content }, call))["area"];

  assert.deepEqual(await add("one\ntwo\n"), { startLine: 1, endLine: 2 });
  assert.deepEqual(await add("three"), { startLine: 3, endLine: 3 });
  assert.deepEqual(await add(" more"), { startLine: 3, endLine: 3 }); // goes on where the line stands
  assert.deepEqual(await add("\nfour\nfive\n"), { startLine: 4, endLine: 5 });
  assert.equal(await readFile(ws.at("a/f"), "utf8"), "one\ntwo\nthree more\nfour\nfive\n");
});

test("[S] neither changes a file through a second name of it", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "shared", { mode: 0o640 });
  await link(ws.at("f"), ws.at("other"));
  const call = testCall(ws.path);

  await edit({ path: "f", old_text: "shared", new_text: "mine" }, call);
  await append({ path: "f", content: "!" }, call);

  assert.equal(await readFile(ws.at("other"), "utf8"), "shared");
  assert.equal(await readFile(ws.at("f"), "utf8"), "mine!");
  assert.equal((await stat(ws.at("f"))).mode & 0o777, 0o640);
});

test("[S, D8] what is no text file, too large, a directory, protected or outside is refused by code", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/home"), { recursive: true });
  await mkdir(outer.at("ws/dir"));
  await writeFile(outer.at("ws/home/journal.db"), "events");
  await link(outer.at("ws/home/journal.db"), outer.at("ws/hard"));
  await writeFile(outer.at("ws/binary"), Buffer.from([1, 0, 2]));
  await writeFile(outer.at("ws/large"), "x".repeat((8 << 20) + 1));
  await writeFile(outer.at("secret"), "events");
  await symlink("/proc/self/root", outer.at("ws/root"));
  const protect = [parseProtected(await formatProtected(outer.at("ws/home")))];
  const call = testCall("", { workspace: { directory: outer.at("ws"), protect } });

  for (const [path, code] of [
    ["binary", "not_text"],
    ["large", "too_large"],
    ["dir", "is_directory"],
    ["gone", "not_found"],
    ["hard", "protected"],
    ["home/journal.db", "protected"],
    ["../secret", "outside_workspace"],
    [`root${outer.at("secret")}`, "outside_workspace"],
    [`/proc/self/root${outer.at("secret")}`, "outside_workspace"],
  ] as const) {
    const input = { path, old_text: "events", new_text: "x" };
    await assert.rejects(edit(input, call), refusedWith(code), path);
  }
  for (const path of ["hard", "home/journal.db", "home/new"]) {
    await assert.rejects(append({ path, content: "x" }, call), refusedWith("protected"), path);
  }
  await assert.rejects(append({ path: "dir", content: "x" }, call), refusedWith("is_directory"));
  assert.equal(await readFile(outer.at("ws/home/journal.db"), "utf8"), "events");
  assert.equal(await readFile(outer.at("secret"), "utf8"), "events");
});

test("input of another shape is refused", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "a");
  const call = testCall(ws.path);
  for (const input of [
    { path: "f", old_text: "", new_text: "b" },
    { path: "f", old_text: "a", new_text: "a" },
    { path: "f", old_text: "a" },
    { path: "f", old_text: "a", new_text: "b", replace_all: "yes" },
  ]) {
    await assert.rejects(edit(input, call), refusedWith("invalid_request"));
  }
});
