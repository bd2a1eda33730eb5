import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { link, mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { locate } from "./paths.ts";
import { read } from "./read.ts";
import { refusedWith, temporaryDirectory, testCall } from "../host/test-support.ts";
import { formatProtected, parseProtected } from "../host/workspace.ts";
import { write } from "./write.ts";

test("[S] a path that climbs out of the workspace is refused", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/a"), { recursive: true });
  await writeFile(outer.at("secret"), "s");
  const call = testCall(outer.at("ws"));

  for (const path of [
    "../secret",
    "a/../../secret",
    outer.at("secret"),
    outer.at("ws/../secret"),
  ]) {
    await assert.rejects(read({ path }, call), refusedWith("outside_workspace"), path);
    await assert.rejects(
      write({ path, content: "x" }, call),
      refusedWith("outside_workspace"),
      path,
    );
  }
  assert.equal(await readFile(outer.at("secret"), "utf8"), "s");
});

test("[S] a workspace with a name that merely begins like it is another place", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws"));
  await mkdir(outer.at("ws-other"));
  await writeFile(outer.at("ws-other/f"), "s");

  const reading = read({ path: outer.at("ws-other/f") }, testCall(outer.at("ws")));

  await assert.rejects(reading, refusedWith("outside_workspace"));
});

test("[S] a symbolic link that leads outside is refused, as a file and as a directory", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws"));
  await mkdir(outer.at("other"));
  await writeFile(outer.at("other/secret"), "s");
  await symlink(outer.at("other/secret"), outer.at("ws/file"));
  await symlink("../other", outer.at("ws/dir"));
  await symlink("/proc/self/environ", outer.at("ws/proc"));
  const call = testCall(outer.at("ws"));

  for (const path of ["file", "dir/secret", "dir/new", "proc"]) {
    await assert.rejects(read({ path }, call), refusedWith("outside_workspace"), path);
    await assert.rejects(
      write({ path, content: "x" }, call),
      refusedWith("outside_workspace"),
      path,
    );
  }
  assert.equal(await readFile(outer.at("other/secret"), "utf8"), "s");
});

test("[S] links inside the workspace work, and a write replaces their target", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("a/b"), { recursive: true });
  await writeFile(ws.at("a/real"), "old");
  await symlink("../real", ws.at("a/b/relative"));
  await symlink(ws.at("a"), ws.at("absolute"));
  await symlink("loop", ws.at("loop"));
  const call = testCall(ws.path);

  const written = await write({ path: "absolute/b/relative", content: "new" }, call);

  assert.deepEqual(written["file"], { path: "a/real", size: 3 });
  assert.equal(await readFile(ws.at("a/b/relative"), "utf8"), "new");
  await assert.rejects(read({ path: "loop" }, call), refusedWith("io"));
});

test("[S] a directory swapped for a link after the check does not redirect the file", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/dir"), { recursive: true });
  await mkdir(outer.at("other"));
  await writeFile(outer.at("ws/dir/f"), "inside");
  await writeFile(outer.at("other/f"), "outside");
  const call = testCall(outer.at("ws"));
  await using location = await locate(call.workspace, "dir/f", "expect");

  await rename(outer.at("ws/dir"), outer.at("ws/moved"));
  await symlink(outer.at("other"), outer.at("ws/dir"));

  assert.equal(await readFile(location.addressOf(location.name), "utf8"), "inside");
});

test("[S] a FIFO, a device and a socket are refused without blocking", async () => {
  await using ws = await temporaryDirectory();
  execFileSync("mkfifo", [ws.at("fifo")]);
  await using server = createServer();
  server.listen(ws.at("socket"));
  await once(server, "listening");
  const call = testCall(ws.path);

  for (const path of ["fifo", "socket"]) {
    await assert.rejects(read({ path }, call), refusedWith("not_regular"), path);
    await assert.rejects(write({ path, content: "x" }, call), refusedWith("not_regular"), path);
  }
  await assert.rejects(read({ path: "null" }, testCall("/dev")), refusedWith("not_regular"));
});

test("[D8] the journal's directory is refused by inode, under any name", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/home/deep"), { recursive: true });
  await writeFile(outer.at("ws/home/journal.db"), "events");
  await symlink("home", outer.at("ws/alias"));
  await link(outer.at("ws/home/journal.db"), outer.at("ws/hard"));
  const protect = [parseProtected(await formatProtected(outer.at("ws/home")))];
  const call = testCall("", { workspace: { directory: outer.at("ws"), protect } });

  for (const path of ["home/journal.db", "alias/journal.db", "home/deep/new", "home", "hard"]) {
    await assert.rejects(read({ path }, call), refusedWith("protected"), path);
  }
  await assert.rejects(write({ path: "home/x", content: "" }, call), refusedWith("protected"));
  await rm(outer.at("ws/hard"));
  assert.deepEqual((await write({ path: "beside", content: "" }, call))["created"], true);
});

test("[D8] a workspace inside the journal's directory is refused as a whole", async () => {
  await using home = await temporaryDirectory();
  await mkdir(home.at("ws"));
  await writeFile(home.at("ws/f"), "x");
  const [dev, ino] = (await formatProtected(home.path)).split(":");
  const protect = [parseProtected(`${dev}:${ino}`)];

  const call = testCall("", { workspace: { directory: home.at("ws"), protect } });

  await assert.rejects(read({ path: "f" }, call), refusedWith("protected"));
});

test("a workspace that does not exist is an answer, not a crash", async () => {
  await assert.rejects(read({ path: "f" }, testCall("/no/such/place")), refusedWith("not_found"));
});
