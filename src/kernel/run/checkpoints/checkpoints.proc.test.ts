import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileAgent } from "../../../../test/support/models/file-agent.ts";
import { changesAfter, findCheckpoint } from "./checkpoints.ts";
import { decodeManifest } from "./manifest.ts";
import { temporaryDirectory } from "../../workspace/host/test-support.ts";
import { appendTool } from "../tools/append.ts";
import { editTool } from "../tools/edit.ts";
import { execTool } from "../tools/exec.ts";
import { readTool } from "../tools/read.ts";
import { writeTool } from "../tools/write.ts";

const sha256 = (content: string) => createHash("sha256").update(content).digest("hex");
const version = (content: string, mode = 0o644) => ({
  sha256: sha256(content),
  bytes: Buffer.byteLength(content),
  mode,
});

test("[T1, T2] before a write there is a checkpoint with the old content, after it what changed", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  const { blobs } = agent.journal;

  const made = await agent.call(writeTool, { path: "a/f", content: "one" });
  await chmod(ws.at("a/f"), 0o600);
  const edited = await agent.call(editTool, { path: "a/f", old_text: "one", new_text: "two" });
  const same = await agent.call(writeTool, { path: "a/f", content: "two" });

  assert.deepEqual(made.checkpoint?.files, [{ path: "a/f", version: null }]);
  assert.deepEqual(made.checkpoint?.paths, ["a/f"]);
  assert.equal(made.checkpoint?.checkpoint_id, `ck_${agent.runId}_c1_1`);
  assert.deepEqual(made.changed?.changes, [{ path: "a/f", before: null, after: version("one") }]);
  assert.deepEqual(edited.changed?.changes, [
    { path: "a/f", before: version("one", 0o600), after: version("two", 0o600) },
  ]);
  assert.equal(same.changed, undefined);
  for (const content of ["one", "two"]) {
    assert.equal(await text(blobs.read(sha256(content))), content);
  }
  const records = await agent.journal.reads.changes({ runId: agent.runId });
  assert.equal(records.length, 2);
});

test("a read has no checkpoint; a call that is refused changed nothing", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "one");
  await using agent = await fileAgent(ws.path);

  const read = await agent.call(readTool, { path: "f" });
  const refused = await agent.call(editTool, { path: "f", old_text: "x", new_text: "y" });

  assert.equal(read.checkpoint, undefined);
  assert.equal(refused.result.error?.code, "text_not_found");
  assert.ok(refused.checkpoint);
  assert.equal(refused.changed, undefined);
});

test("[T1a, T2] a command is compared with the whole workspace as it was", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("src"));
  await writeFile(ws.at("src/kept"), "kept");
  await writeFile(ws.at("src/gone"), "gone");
  await writeFile(ws.at("changed"), "old");
  await writeFile(ws.at("run.sh"), "#!");
  await using agent = await fileAgent(ws.path);

  const command =
    "printf new > changed; rm src/gone; mkdir d; printf made > d/made; chmod 755 run.sh";
  const ran = await agent.call(execTool, { command });

  assert.deepEqual(ran.changed?.changes, [
    { path: "changed", before: version("old"), after: version("new") },
    { path: "d/made", before: null, after: version("made") },
    { path: "run.sh", before: version("#!"), after: version("#!", 0o755) },
    { path: "src/gone", before: version("gone"), after: null },
  ]);
  const { blobs } = agent.journal;
  const manifest = decodeManifest(await text(blobs.read(ran.checkpoint?.manifest ?? "")));
  assert.deepEqual(
    manifest.files.map(([path]) => path),
    ["changed", "run.sh", "src/gone", "src/kept"],
  );
  for (const content of ["old", "gone", "kept", "#!", "new", "made"]) {
    assert.equal(await text(blobs.read(sha256(content))), content);
  }
  const second = await agent.call(execTool, { command: "true" });
  assert.equal(second.changed, undefined);
});

test("[X3] after a crash the journaled checkpoint tells what the call had done by then", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "one\n");
  await using agent = await fileAgent(ws.path);
  const input = { path: "f", content: "two\n" };

  const context = await agent.begin(appendTool, input);
  await appendTool.execute(input, context);
  await agent.reopen(); // the runner died here
  const item = agent.itemOf(context.item.callId);
  const again = agent.contextOf(item);

  assert.ok(await findCheckpoint(again.log, item.checkpointId ?? ""));
  assert.equal(await findCheckpoint(again.log, "ck_other"), undefined);
  assert.deepEqual((await changesAfter(again))?.payload.changes, [
    { path: "f", before: version("one\n"), after: version("one\ntwo\n") },
  ]);
});

test("[X3] write, edit and append can be told to have happened, not to have happened, or neither", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  const cases = [
    [writeTool, { path: "f", content: "a\nB\n" }, { startLine: 1, endLine: 2 }],
    [editTool, { path: "f", old_text: "b", new_text: "B" }, { startLine: 2, endLine: 2 }],
    [appendTool, { path: "f", content: "c" }, { startLine: 3, endLine: 3 }],
  ] as const;
  for (const [tool, input, area] of cases) {
    await writeFile(ws.at("f"), "a\nb\n");
    const context = await agent.begin(tool, input);
    await agent.reopen();
    const check = async () =>
      tool.check?.(input, agent.contextOf(agent.itemOf(context.item.callId)));

    assert.equal((await check())?.error?.code, "did_not_happen", tool.name);
    const done = await tool.execute(input, context);
    assert.ok(done.ok);
    const happened = await check();
    assert.ok(happened?.ok, tool.name);
    assert.deepEqual((happened.result as { area: unknown }).area, area);
    await writeFile(ws.at("f"), "by somebody else");
    assert.equal(await check(), undefined, tool.name);
    await rm(ws.at("f"));
    assert.equal(await check(), undefined, tool.name);
  }
});

test("[B1] what is too large is said, and a file without a way back is not written", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("large"), "");
  await truncate(ws.at("large"), (4 << 20) + 1);
  await using agent = await fileAgent(ws.path);

  const grown = await agent.call(execTool, { command: "printf x >> large; printf y > made" });
  assert.equal(grown.checkpoint?.truncated, true);
  assert.deepEqual(
    grown.changed?.changes.map(({ path }) => path),
    ["made"],
  );
  assert.equal(grown.changed?.truncated, true);

  // Known before, too large afterwards: looked at by itself, never taken for deleted.
  const swelled = await agent.call(execTool, { command: "truncate -s 5000000 made" });
  assert.deepEqual(
    swelled.changed?.changes.map(({ path, after }) => [path, after?.bytes]),
    [["made", 5_000_000]],
  );

  await truncate(ws.at("large"), (64 << 20) + 1);
  await assert.rejects(agent.begin(writeTool, { path: "large", content: "" }), {
    name: "CannotCheckpoint",
    message: /larger than 64 MiB/,
  });
  assert.equal((await readFile(ws.at("large"))).length, (64 << 20) + 1);
});

test("a workspace that is gone is a checkpoint that says so", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("ws"));
  await using agent = await fileAgent(ws.at("ws"));
  await rm(ws.at("ws"), { recursive: true });

  const ran = await agent.call(execTool, { command: "true" });

  assert.equal(ran.checkpoint?.truncated, true);
  assert.match(ran.checkpoint?.label ?? "", /^Before: true \(nothing could be kept: No workspace/);
  assert.equal(ran.result.error?.code, "not_found");
});

test("[T2] a name nobody can say, or folders too deep, do not hide what a command makes elsewhere", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("deep/".repeat(70)), { recursive: true });
  await writeFile(Buffer.concat([Buffer.from(ws.at("name")), Buffer.from([0xff])]), "");
  await using agent = await fileAgent(ws.path);

  const ran = await agent.call(execTool, { command: "printf made > made" });

  assert.equal(ran.checkpoint?.truncated, true);
  assert.deepEqual(ran.changed?.changes, [{ path: "made", before: null, after: version("made") }]);
});

test("more than 500 changes are listed as far as that, and said to be more", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);

  const command = "i=0; while [ $i -lt 510 ]; do echo $i > f$i; i=$((i+1)); done";
  const ran = await agent.call(execTool, { command });

  assert.deepEqual([ran.changed?.changes.length, ran.changed?.truncated], [500, true]);
});

test("a file outside the workspace is checkpointed by its absolute path, a link by what it names", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws"));
  await mkdir(outer.at("other"));
  await writeFile(outer.at("other/f"), "old");
  await writeFile(outer.at("ws/real"), "old");
  await symlink("real", outer.at("ws/alias"));
  await using agent = await fileAgent(outer.at("ws"));

  const outside = await agent.call(writeTool, { path: outer.at("other/f"), content: "new" });
  const linked = await agent.call(writeTool, { path: "./x/../alias", content: "new" });

  assert.deepEqual((outside.result.result as { file: unknown }).file, {
    path: outer.at("other/f"),
    viewerPath: outer.at("other/f"),
    area: { startLine: 1, endLine: 1 },
  });
  assert.deepEqual(outside.changed?.changes, [
    { path: outer.at("other/f"), before: version("old"), after: version("new") },
  ]);
  assert.deepEqual(
    (linked.result.result as { file: { viewerPath: string } }).file.viewerPath,
    "alias",
  );
  assert.deepEqual(linked.changed?.changes, [
    { path: "real", before: version("old"), after: version("new") },
  ]);
});
