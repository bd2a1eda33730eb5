import assert from "node:assert/strict";
import {
  chmod,
  mkdir,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { resolve } from "node:path";
import { test } from "node:test";
import { fileAgent } from "../../../../test/support/models/file-agent.ts";
import { temporaryDirectory } from "../../workspace/host/test-support.ts";
import { editTool } from "./edit.ts";
import { execTool } from "./exec.ts";
import { rollbackTool } from "./rollback.ts";
import { writeTool } from "./write.ts";

type Result = {
  ok: boolean;
  restored: string[];
  removed: string[];
  conflicts: { path: string; reason: string }[];
};

/** Every file of a directory with its content. */
async function filesIn(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = `${entry.parentPath}/${entry.name}`;
    found[path.slice(directory.length + 1)] = await readFile(path, "utf8");
  }
  return found;
}

async function work(workspace: string) {
  await writeFile(`${workspace}/edited`, "one\n");
  await writeFile(`${workspace}/deleted`, "kept", { mode: 0o750 });
  const agent = await fileAgent(workspace);
  await agent.call(editTool, { path: "edited", old_text: "one", new_text: "two" });
  await agent.call(editTool, { path: "edited", old_text: "two", new_text: "three" });
  await agent.call(execTool, { command: "rm deleted; mkdir d; echo made > d/made" });
  return agent;
}

test("a run is rolled back as a whole, and the rollback is rolled back", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await work(ws.path);
  const { runId } = agent;
  const after = await filesIn(ws.path);

  const preview = await agent.call(rollbackTool, { run_id: runId, preview: true });
  assert.deepEqual(await filesIn(ws.path), after);
  const back = await agent.call(rollbackTool, {
    run_id: runId,
    paths: ["edited", "deleted", "d/made"],
  });

  const expected = { restored: ["edited", "deleted"], removed: ["d/made"], conflicts: [] };
  const lists = ({ restored, removed, conflicts }: Result) => ({ restored, removed, conflicts });
  assert.deepEqual(lists(preview.result.result as Result), expected);
  assert.equal(preview.checkpoint, undefined);
  assert.deepEqual(lists(back.result.result as Result), expected);
  assert.deepEqual(await filesIn(ws.path), { edited: "one\n", deleted: "kept" });
  assert.equal((await stat(ws.at("deleted"))).mode & 0o777, 0o750);

  const again = await agent.call(rollbackTool, {
    checkpoint_id: back.checkpoint?.checkpoint_id,
    paths: ["edited", "deleted", "d/made"],
  });
  assert.equal(again.result.ok, true);
  assert.deepEqual(await filesIn(ws.path), after);
});

test("one file that somebody else changed refuses the whole, whenever they did", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await work(ws.path);
  const rollback = async (input: object = {}) => agent.call(rollbackTool, { ...input });

  await writeFile(ws.at("d/made"), "theirs");
  const since = await rollback();
  assert.equal(since.result.error?.code, "conflict");
  const { conflicts } = since.result.result as Result;
  assert.deepEqual(conflicts, [{ path: "d/made", reason: "changed_since" }]);
  assert.equal(since.changed, undefined);
  assert.deepEqual(await filesIn(ws.path), { edited: "three\n", "d/made": "theirs" });

  // In between: the agent went on with what they had written.
  await agent.call(editTool, { path: "d/made", old_text: "theirs", new_text: "ours" });
  const between = await rollback();
  assert.deepEqual((between.result.result as Result).conflicts, [
    { path: "d/made", reason: "changed_between" },
  ]);
  // A file, or a call, can still be taken back by itself.
  const one = await rollback({ paths: ["edited"] });
  assert.equal(one.result.ok, true);
  assert.deepEqual(await filesIn(ws.path), { edited: "one\n", "d/made": "ours" });
});

test("a single call is taken back while nothing came after it", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "1");
  await using agent = await fileAgent(ws.path);
  const first = await agent.call(writeTool, { path: "f", content: "2" });
  const second = await agent.call(writeTool, { path: "f", content: "3" });
  const undo = async (checkpoint_id: string | undefined) =>
    (await agent.call(rollbackTool, { checkpoint_id })).result.ok;

  assert.equal(await undo(first.checkpoint?.checkpoint_id), false);
  assert.equal(await undo(second.checkpoint?.checkpoint_id), true);
  assert.equal(await undo(first.checkpoint?.checkpoint_id), true);
  assert.equal(await readFile(ws.at("f"), "utf8"), "1");
});

test("content larger than a frame, and a file outside the workspace, come back too", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws"));
  await mkdir(outer.at("other"));
  await writeFile(outer.at("ws/large"), "begin");
  await truncate(outer.at("ws/large"), 20_000_000);
  await writeFile(outer.at("other/f"), "old");
  await using agent = await fileAgent(outer.at("ws"));
  await agent.call(writeTool, { path: "large", content: "small" });
  await agent.call(writeTool, { path: outer.at("other/f"), content: "new" });

  const back = await agent.call(rollbackTool, { paths: ["large", outer.at("other/f")] });

  assert.deepEqual(back.result.error ?? null, null);
  const large = await readFile(outer.at("ws/large"));
  assert.deepEqual([large.length, large.toString("utf8", 0, 5)], [20_000_000, "begin"]);
  assert.equal(await readFile(outer.at("other/f"), "utf8"), "old");
});

test("[X3] a rollback cut in the middle can be told, and simply goes on", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await work(ws.path);
  const input = { run_id: agent.runId };
  const context = await agent.begin(rollbackTool, input);
  const check = async () => rollbackTool.check?.(input, context);

  await writeFile(ws.at("edited"), "one\n"); // as far as it had come
  assert.equal((await check())?.error?.code, "did_not_happen");
  await rollbackTool.execute(input, context);
  assert.equal((await check())?.ok, true);
  assert.deepEqual(await filesIn(ws.path), { edited: "one\n", deleted: "kept" });
  await writeFile(ws.at("edited"), "theirs");
  assert.equal(await check(), undefined);
});

test("content that was not kept is a conflict, not an empty file", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await work(ws.path);
  await rm(`${agent.home}/blobs`, { recursive: true });
  await mkdir(`${agent.home}/blobs`);

  const back = await agent.call(rollbackTool, {});

  const { conflicts } = back.result.result as Result;
  assert.deepEqual(conflicts[0], { path: "edited", reason: "content_not_kept" });
  assert.equal(await readFile(ws.at("edited"), "utf8"), "three\n");
});

test("[T3a] a link that stands where a file was is a conflict: the only copy is not removed", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("folder"));
  await writeFile(ws.at("folder/f"), "in a folder");
  await writeFile(ws.at("file"), "a file");
  await using agent = await fileAgent(ws.path);
  const moved = "mv folder folder2; ln -s folder2 folder; mv file file2; ln -s file2 file";
  await agent.call(execTool, { command: moved });

  const back = await agent.call(rollbackTool, {});

  const { conflicts } = back.result.result as Result;
  assert.deepEqual(conflicts, [
    { path: "file", reason: "is_link" },
    { path: "folder/f", reason: "is_link" },
  ]);
  assert.equal(await readFile(ws.at("file"), "utf8"), "a file");
  assert.equal(await readFile(ws.at("folder/f"), "utf8"), "in a folder");
  await agent.call(execTool, { command: "rm file folder" });
  assert.equal((await agent.call(rollbackTool, {})).result.ok, true);
  assert.deepEqual(await filesIn(ws.path), { file: "a file", "folder/f": "in a folder" });
});

test("[T2, T3] a file made through a link in a folder that was not there yet has one name", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("real"));
  await symlink("real", ws.at("link"));
  await using agent = await fileAgent(ws.path);

  const made = await agent.call(writeTool, { path: "link/new/f", content: "one" });
  await agent.call(editTool, { path: "link/new/f", old_text: "one", new_text: "two" });
  const back = await agent.call(rollbackTool, {});

  assert.deepEqual(made.checkpoint?.paths, ["real/new/f"]);
  assert.deepEqual((back.result.result as Result).removed, ["real/new/f"]);
  assert.deepEqual(await filesIn(ws.path), {});
});

test("[T3d, T1] a rollback of files that a scan leaves out can be rolled back too", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/node_modules"), { recursive: true });
  await mkdir(outer.at("other"));
  const paths = [outer.at("other/f"), "node_modules/f", "large"];
  const contents = async () =>
    Promise.all(paths.map(async (path) => readFile(resolve(outer.at("ws"), path), "utf8")));
  for (const path of paths) await writeFile(resolve(outer.at("ws"), path), "old");
  await truncate(outer.at("ws/large"), 5_000_000);
  const before = await contents();
  await using agent = await fileAgent(outer.at("ws"));
  for (const path of paths) await agent.call(writeTool, { path, content: `new ${path}` });
  const after = await contents();

  const back = await agent.call(rollbackTool, { run_id: agent.runId });
  assert.deepEqual(await contents(), before);
  assert.equal(back.changed?.changes.length, 3);
  const { checkpoint_id } = back.changed;
  assert.equal((await agent.call(rollbackTool, { checkpoint_id })).result.ok, true);
  assert.deepEqual(await contents(), after);
});

test("[T3c] who made a file executable meanwhile keeps that; what the agent made so is taken back", async () => {
  await using ws = await temporaryDirectory();
  for (const name of ["since", "between", "ours"]) await writeFile(ws.at(name), "old");
  await using agent = await fileAgent(ws.path);
  for (const path of ["since", "between"]) await agent.call(writeTool, { path, content: "new" });
  await agent.call(execTool, { command: "chmod 755 ours" });
  await chmod(ws.at("between"), 0o755);
  await agent.call(writeTool, { path: "between", content: "newer" });
  await chmod(ws.at("since"), 0o755);

  const back = await agent.call(rollbackTool, {});

  assert.equal(back.result.ok, true);
  assert.deepEqual(await filesIn(ws.path), { between: "old", ours: "old", since: "old" });
  const modeOf = async (name: string) => (await stat(ws.at(name))).mode & 0o777;
  assert.deepEqual(
    await Promise.all(["since", "between", "ours"].map(modeOf)),
    [0o755, 0o755, 0o644],
  );
});
